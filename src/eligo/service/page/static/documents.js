// How do documents of the base become sample events? The newest of them are added, a line each.

import { Problem, ask } from "./api.js";
import { byId } from "./elements.js";
import { change, state } from "./state.js";

const ADDED = 20;

export function startDocuments() {
  byId("add-documents").addEventListener("click", async () => {
    try {
      const { lines } = await ask(`page/documents?limit=${ADDED}`);
      if (lines.length) change({ sample: [state.sample.trimEnd(), ...lines].filter(Boolean).join("\n") });
      else byId("sample-hint").textContent = "The base has no documents yet.";
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      byId("sample-hint").textContent = error.message;
    }
  });
}
