// The clipboard, which browsers may refuse.

/** Copies text; resolves to what to say of it. */
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return "Copied";
  } catch {
    return "The browser did not allow it"; // for example while its window is in the background
  }
}

/** Copies text and says so on the button. */
export async function copy(text, target) {
  const before = target.textContent;
  target.textContent = await copied(text);
  setTimeout(() => { target.textContent = before; }, 1500);
}
