"""The page's own figure in a notebook, by way of anywidget."""

from __future__ import annotations

import base64
import zlib
from typing import Any, Sequence

from . import _engine
from ._engine import InputError
from ._run import Trace

# The element's module is loaded from where the page lies, so that figure and frame are of one version.
_SCRIPT = """
const ATTRIBUTES = ["src", "link", "policy", "cluster", "view", "theme", "caption"];

async function render({ model, el }) {
  const page = model.get("page").replace(/\\/?(index\\.html)?$/, "/");
  const script = new URL("view.js", page).href;
  try {
    await import(/* @vite-ignore */ script);
  } catch (error) {
    // Whether anybody is there can be asked of those, too, who let nobody read.
    const answers = await fetch(script, { mode: "no-cors" }).then(() => true, () => false);
    el.textContent = answers
      ? `${page} answers, but a notebook cannot load ${script} (${error.message}): its host has to send Access-Control-Allow-Origin, which \\`cargo xtask serve\\` does and \\`python -m http.server\\` does not; or it is no Switchyard page`
      : `nobody answers at ${page}: start a Switchyard page there (\\`cargo xtask serve\\`), or say where one is, view(…, page="https://…")`;
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


#: Letters of a link; static/embed.js takes no more of an article.
_MOST_LETTERS = 400_000


def view(
    trace: str | Trace = "",
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

    trace: ``sample:NAME``, the address of a trace (its host lets other pages read it), or what :func:`open` gave, if it is small
        enough to travel in a link (at most 400,000 letters).
    link: all that follows the ``#`` of a link, such as a sweep's column ``link``; the other arguments win over its parts.
    page: where a Switchyard page lies, with ``view.js`` beside it: a published one, or ``cargo xtask serve``'s. Its host has to
        send the header ``Access-Control-Allow-Origin``.

    It has ``t`` (seconds; to be set), ``selected`` (the job that was chosen) and ``results`` (once all runs are over). Takes ``anywidget``.
    """
    if isinstance(trace, Trace):
        link, trace = _packed(trace, link), ""
    elif not isinstance(trace, str):
        raise InputError(f"view's trace is {trace!r}: it takes sample:NAME, an address, or what switchyard.open gave")

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

    names = [_engine.of_files(policy) for policy in ([policies] if isinstance(policies, str) else policies)]
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


def _packed(trace: Trace, link: str) -> str:
    """A link that has the jobs within, as the page's Share packs them (static/remote.js), and what else a link says."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(trace._native._experiment().encode()) + packer.flush()
    letters = base64.urlsafe_b64encode(packed).decode().rstrip("=")
    whole = _engine.packed_link(link, letters)
    if len(whole) > _MOST_LETTERS:
        raise InputError(
            f"{len(trace):,} jobs are too many for a link, {len(whole):,} letters of at most {_MOST_LETTERS:,}: "
            'take a window of them, switchyard.open(…, window="0..1d"), or view the address of a file'
        )
    return whole
