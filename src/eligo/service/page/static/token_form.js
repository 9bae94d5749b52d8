// Which token is the service asked with? The one that is typed here; it is forgotten when the tab is closed.

import { token } from "./api.js";
import { byId } from "./elements.js";

export function startToken(onToken) {
  const [button, form, field] = [byId("token"), byId("token-form"), byId("token-field")];
  const show = (isShown) => {
    form.hidden = !isShown;
    button.setAttribute("aria-expanded", String(isShown));
    if (isShown) field.focus();
  };
  const use = (text) => {
    token.set(text);
    field.value = "";
    button.textContent = text ? "Token ✓" : "Token";
    show(false);
    button.focus();
    onToken();
  };
  button.textContent = token.get() ? "Token ✓" : "Token";
  button.addEventListener("click", () => show(form.hidden));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    use(field.value.trim());
  });
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    show(false);
    button.focus();
  });
  byId("token-forget").addEventListener("click", () => use(""));
}
