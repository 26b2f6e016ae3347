// Data seen through a model: what the model says of the samples of a file.

import { element } from "../../parts/elements.js";
import { filePicker, upload } from "../../parts/files.js";
import { figures, items } from "../../parts/lists.js";
import { createTabs } from "../../parts/tabs.js";
import { createAbstainTab } from "../data/abstain.js";
import { createPredictionsTab } from "../data/predictions.js";
import { createProjectionTab } from "../data/projection.js";
import { createQuantilesTab } from "../data/quantiles.js";
import { createResidualsTab } from "../data/residuals.js";
import { roleWords } from "../data/results.js";
import { createSamplesTab } from "../data/samples.js";
import { TASKS } from "../data/tasks.js";
import { createValuesTab } from "../data/values.js";

/** Returns the part of the view that takes data; `complain(text)` says what goes wrong. */
export function createModelData(app, complain) {
  // The tabs are those of "Your data", asked of the model's data.
  const ask = async (kind, fields, channel) => {
    try {
      return await app.connection.request(kind.replace("data.", "model."), fields, channel.replace("data.", "model."));
    } catch (error) {
      complain(error.message);
      return null;
    }
  };
  const tabs = [
    createSamplesTab, createPredictionsTab, createResidualsTab, createQuantilesTab, createProjectionTab, createValuesTab, createAbstainTab,
  ].map((create) => create(ask));
  const pages = createTabs({ name: "Data", pages: tabs, onChoose: choose });
  const list = element("dl", { class: "figures" });
  const role = element("p", { class: "note" });
  const remarks = element("ul", { class: "remarks" });
  const title = element("h2");
  let result = null;

  function choose(name) {
    pages.choose(name);
    tabs.find((tab) => tab.name === name).show(result, "all");
  }

  const data = {
    picker: filePicker({
      title: "Choose data", onFile: (file) => data.open(file),
      hint: "Or drop a data file here, to see what the model says of its samples.",
    }),
    element: element("section", { class: "card model-data", "aria-label": "Data", hidden: true }, title, list, role, remarks, pages.element),
    /** Forgets the data of another model. */
    clear() {
      result = null;
      data.element.hidden = true;
    },
    async open(file) {
      complain("");
      const key = await upload(app.connection, file).catch((error) => {
        complain(error.message);
        return null;
      });
      const answer = key === null ? null : await ask("model.data", { upload: key }, "model.data");
      if (answer !== null) data.show(answer.values);
    },
    /** Shows what the model says of a file. */
    show(values) {
      result = values;
      data.element.hidden = false;
      title.textContent = result.name;
      const task = TASKS[result.overview.task];
      list.replaceChildren(...figures(task.figures(result.overview)));
      role.textContent = [roleWords(result.overview.role), ...result.decisions].join(" ");
      remarks.replaceChildren(...items(result.sentences));
      const offered = task.tabs(result);
      for (const { name } of tabs) pages.offer(name, offered.includes(name));
      choose("samples");
    },
  };
  return data;
}
