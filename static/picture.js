// A picture of the page stands in it before its program is there (static/picture.html), where what comes is known: for who
// follows no link. It goes once the page is there in its place, and what was pressed in it is pressed then.
(() => {
  /** Once the page has begun, its runs are there in this time, or something is said in their place. */
  const PATIENCE_MS = 3_000;
  const isPlain = !location.hash && !location.search && parent === self && !document.getElementById("switchyard-link");
  if (!isPlain) {
    addEventListener("DOMContentLoaded", () => document.getElementById("picture")?.remove());
    return;
  }

  const root = document.documentElement;
  const isRead = (() => {
    try {
      // The introduction has been closed (web/src/remembered.rs).
      return localStorage.getItem("switchyard introduction closed") !== null;
    } catch {
      return false;
    }
  })();
  root.dataset.picture = isRead ? "read" : "whole";

  let pressed = null;
  const press = ({ target, clientX, clientY }) => {
    if (target.closest?.("#picture")) pressed = [clientX, clientY];
  };
  addEventListener("click", press, true);

  let begun = null;
  let frames = 0;
  const isThere = () => {
    if (!document.querySelector("#app .page")) return false;
    begun ??= performance.now();
    const isWhole = document.querySelectorAll("#app [data-status=done]").length > 1;
    return isWhole || performance.now() - begun > PATIENCE_MS;
  };
  const look = () => {
    // Canvases are painted a frame after their words.
    if (isThere()) frames += 1;
    if (frames < 2 && root.dataset.picture) return requestAnimationFrame(look);
    removeEventListener("click", press, true);
    delete root.dataset.picture;
    document.getElementById("picture")?.remove();
    if (pressed) document.elementFromPoint(...pressed)?.closest("button, a, summary, select")?.click();
  };
  requestAnimationFrame(look);
})();
