"""The page's own figure in a notebook, by way of anywidget."""

from __future__ import annotations

from typing import Any, Sequence

# The element's module is loaded from where the page lies, so that figure and frame are of one version.
_SCRIPT = """
const ATTRIBUTES = ["src", "link", "policy", "cluster", "view", "theme", "caption"];

async function render({ model, el }) {
  const page = model.get("page").replace(/\\/?(index\\.html)?$/, "/");
  try {
    await import(/* @vite-ignore */ new URL("view.js", page).href);
  } catch (error) {
    el.textContent = `Switchyard's page is not at ${page} (${error.message}): view(…, page="https://…") says where it is`;
    return;
  }
  const figure = document.createElement("switchyard-view");
  figure.setAttribute("controls", "");
  const say = (name) => {
    const value = model.get(name);
    if (value) figure.setAttribute(name, value);
    else figure.removeAttribute(name);
  };
  for (const name of ATTRIBUTES) {
    say(name);
    model.on(`change:${name}`, () => say(name));
  }
  figure.style.setProperty("height", `${model.get("height")}px`);
  model.on("change:t", () => figure.seek(model.get("t")).catch(() => {}));
  figure.addEventListener("done", ({ detail }) => {
    model.set("results", detail);
    model.save_changes();
  });
  figure.addEventListener("select", ({ detail }) => {
    model.set("selected", detail.job ?? "");
    model.save_changes();
  });
  el.append(figure);
  return () => figure.remove();
}

export default { render };
"""

#: Where the page is looked for, unless ``view`` is told.
PAGE = "http://localhost:8080/"


def view(
    trace: str = "",
    policies: str | Sequence[str] = (),
    *,
    link: str = "",
    cluster: str = "",
    view: str = "yard",
    theme: str = "",
    caption: str = "",
    height: int = 480,
    page: str | None = None,
) -> Any:
    """The page's own figure, as a widget: the clock runs, jobs can be chosen.

    trace: ``sample:NAME``, or the address of a trace (its host lets other pages read it).
    link: all that follows the ``#`` of a link, such as a sweep's column ``link``; the other arguments win over its parts.
    page: where a Switchyard page lies, with ``view.js`` beside it: a published one, or ``cargo xtask serve``'s.

    It has ``t`` (seconds; to be set), ``selected`` (the job that was chosen) and ``results`` (once all runs are over). Takes ``anywidget``.
    """
    import anywidget
    import traitlets

    class View(anywidget.AnyWidget):
        _esm = _SCRIPT
        page = traitlets.Unicode().tag(sync=True)
        src = traitlets.Unicode().tag(sync=True)
        link = traitlets.Unicode().tag(sync=True)
        policy = traitlets.Unicode().tag(sync=True)
        cluster = traitlets.Unicode().tag(sync=True)
        view = traitlets.Unicode().tag(sync=True)
        theme = traitlets.Unicode().tag(sync=True)
        caption = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int().tag(sync=True)
        t = traitlets.Float(0.0).tag(sync=True)
        selected = traitlets.Unicode().tag(sync=True)
        results = traitlets.Dict().tag(sync=True)

    names = [policies] if isinstance(policies, str) else list(policies)
    return View(
        page=page or PAGE,
        src=trace.removeprefix("sample:"),
        link=link,
        # An element's list has spaces between, and a spec with one keeps it.
        policy=" ".join(names),
        cluster=cluster,
        view=view,
        theme=theme,
        caption=caption,
        height=height,
    )
