"use strict";
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const narrow = matchMedia("(max-width: 700px)");
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const canvases = [...document.querySelectorAll(".canvas")];
  const themes = canvases.length ? read("themes-json") : null;
  const drawn = new Map();
  let drawing = Promise.resolve();

  function config(theme) {
    const legend = narrow.matches
      ? { orient: "bottom", columns: 1, labelLimit: 300 }
      : { orient: "right" };
    return { ...theme.config, legend: { ...theme.config.legend, ...legend } };
  }

  async function draw(canvas) {
    const theme = themes[dark.matches ? "dark" : "light"];
    const spec = read(`${canvas.id}-json`);
    spec.params.find((one) => one.name === "palette").value = theme.palette;
    if (narrow.matches && typeof spec.height === "number") {
      // The legend stands below the picture there, a line for each series.
      spec.height += 17 * new Set(spec.data.values.map((row) => row.series)).size;
    }
    drawn.get(canvas)?.finalize();
    try {
      const embedded = await vegaEmbed(canvas, spec, {
        mode: "vega-lite",
        config: config(theme),
        renderer: "svg",
        ast: true, // no eval: the content security policy forbids it
        actions: false,
        defaultStyle: false, // nor a style element of the library's
        tooltip: { disableDefaultStyle: true },
      });
      drawn.set(canvas, embedded);
    } catch (error) {
      console.error(error);
      canvas.textContent = `This chart could not be drawn here: ${error.message}`;
    }
    document.documentElement.dataset.drawn = String(drawn.size);
  }

  const queue = (canvas) => { drawing = drawing.then(() => draw(canvas)); };
  const redraw = () => [...drawn.keys()].forEach(queue);

  function save(name, address) {
    const anchor = document.createElement("a");
    anchor.href = address;
    anchor.download = name;
    anchor.click();
  }

  // A picture of the page has the colours of the page.
  async function savePicture({ picture, of }) {
    const embedded = drawn.get(document.getElementById(of));
    save(`joulemark.${picture}`, await embedded.view.toImageURL(picture, 2));
  }

  // Base64 of gzip: the rows of a published page, as files.
  async function saveData({ save: suffix, of }) {
    const text = atob(document.getElementById(of).textContent);
    const bytes = Uint8Array.from(text, (sign) => sign.charCodeAt(0));
    const unzipped = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const files = await new Response(unzipped).json();
    save(`joulemark.${suffix}`, URL.createObjectURL(new Blob([files[suffix]])));
  }

  // The pages whose words begin with, or have, all that is typed.
  function search(place) {
    const [input, list] = [place.querySelector("input"), place.querySelector("ul")];
    const { index } = place.dataset;
    const root = index.slice(0, -"assets/search.js".length);
    function show() {
      const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      const found = (window.joulemarkPages ?? []).filter(
        ([words]) => wanted.length && wanted.every((word) => words.toLowerCase().includes(word)),
      );
      list.replaceChildren(...found.slice(0, 20).map(([words, link]) => {
        const [item, anchor] = [document.createElement("li"), document.createElement("a")];
        anchor.href = root + link;
        anchor.textContent = words;
        item.append(anchor);
        return item;
      }));
      if (wanted.length && !found.length) list.textContent = "No page has these words.";
      if (found.length > 20) list.append(`and ${found.length - 20} more`);
    }
    input.addEventListener("focus", () => {
      const script = document.createElement("script");
      script.src = index;
      script.addEventListener("load", show);
      document.head.append(script);
    }, { once: true });
    input.addEventListener("input", show);
    place.hidden = false;
  }

  // A part of the page is opened by the link that leads to it.
  function reveal() {
    const part = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const closed = part?.closest("details:not([open])");
    if (closed) {
      closed.open = true;
      part.scrollIntoView();
    }
  }

  for (const button of document.querySelectorAll("[data-picture], [data-save]")) {
    button.hidden = false;
    const act = button.dataset.save ? saveData : savePicture;
    button.addEventListener("click", () => act(button.dataset));
  }
  document.querySelectorAll(".search").forEach(search);
  addEventListener("hashchange", reveal);
  reveal();
  document.documentElement.dataset.drawn = "0";
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting && !drawn.has(target)) {
        seen.unobserve(target);
        queue(target);
      }
    }
  }, { rootMargin: "600px" });
  canvases.forEach((canvas, place) => { if (place) seen.observe(canvas); else queue(canvas); });
  if (canvases.length) delete document.documentElement.dataset.drawn;
  dark.addEventListener("change", redraw);
  narrow.addEventListener("change", redraw);
})();
