// Light or dark: as the system says, until the user says otherwise.

const KEY = "bandsvm-theme";
const listeners = new Set();

/** Calls a listener after every change of colours. */
export function onTheme(listener) {
  listeners.add(listener);
}

/** Returns the value of one of the style sheet's colours. */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Returns the size of a pixel of usual screens: a sixteenth of the page's font size. */
export function pixelSize() {
  return parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
}

/** Lets a button switch between light and dark. */
export function bindTheme(button) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => localStorage.getItem(KEY);
  const apply = () => {
    const theme = chosen() ?? (system.matches ? "dark" : "light");
    document.documentElement.dataset.theme = theme;
    button.textContent = theme === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to ${theme === "dark" ? "light" : "dark"} colours`);
    for (const listener of listeners) listener();
  };
  button.addEventListener("click", () => {
    const other = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    const isSystems = other === (system.matches ? "dark" : "light");
    if (isSystems) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, other);
    apply();
  });
  system.addEventListener("change", apply);
  apply();
}
