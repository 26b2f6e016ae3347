// Files from the user: chosen or dropped, checked by the server before they are sent.

import { element, freshId } from "./elements.js";

/** Sends a file to the server; resolves to the key under which it waits. Rejects with a message for the user. */
export async function upload(connection, file) {
  await connection.request("data.check", { name: file.name, size: file.size }, "data.check");
  const response = await fetch("/upload", {
    method: "POST",
    body: file,
    headers: { "X-File-Name": encodeURIComponent(file.name) },
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message);
  return answer.upload;
}

/** Returns a field to choose a file; `onFile` hears of it. */
export function filePicker({ title, hint, onFile }) {
  const id = freshId("file");
  const input = element("input", { type: "file", id, class: "unseen" });
  input.addEventListener("change", () => {
    if (input.files.length) onFile(input.files[0]);
    input.value = ""; // the same file may be chosen again
  });
  return element(
    "div", { class: "picker" },
    input,
    element("label", { for: id, class: "button" }, title),
    element("p", { class: "note" }, hint),
  );
}

/** Lets files be dropped on an element. */
export function takeDrops(target, onFile) {
  let depth = 0;
  const lit = (change) => {
    depth = change === 0 ? 0 : depth + change;
    target.classList.toggle("dropping", depth > 0);
  };
  target.addEventListener("dragenter", () => lit(1));
  target.addEventListener("dragleave", () => lit(-1));
  target.addEventListener("dragover", (event) => event.preventDefault());
  target.addEventListener("drop", (event) => {
    event.preventDefault();
    lit(0);
    if (event.dataTransfer.files.length) onFile(event.dataTransfer.files[0]);
  });
}

/** Returns a memory of which file a view has open, for as long as its tab is open, reloads included. */
export function rememberedFile(view) {
  const key = `bandsvm-${view}-file`;
  return {
    set(name) {
      sessionStorage.setItem(key, name);
    },
    /** Returns a sentence on a file that the server has forgotten; "" if there was none, or it is open again. */
    loss(file) {
      const name = sessionStorage.getItem(key);
      return name === null || name === file?.name ? "" : `The server no longer has ${name}: it was started again, or needed the memory. Choose the file again.`;
    },
  };
}
