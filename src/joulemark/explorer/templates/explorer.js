"use strict";
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const narrow = matchMedia("(max-width: 700px)");
  const read = (id) => {
    const place = document.getElementById(id);
    return place ? JSON.parse(place.textContent) : null;
  };
  const chart = read("chart-json");
  const themes = read("themes-json");
  let embedded = null;
  let drawing = Promise.resolve();

  function config(theme) {
    const legend = narrow.matches
      ? { orient: "bottom", columns: 1, labelLimit: 300 }
      : { orient: "right" };
    return { ...theme.config, legend: { ...theme.config.legend, ...legend } };
  }

  async function draw() {
    const theme = themes[dark.matches ? "dark" : "light"];
    const spec = structuredClone(chart);
    spec.params.find((one) => one.name === "palette").value = theme.palette;
    if (narrow.matches && typeof spec.height === "number") {
      // The legend stands below the picture there, a line for each series.
      spec.height += 17 * new Set(spec.data.values.map((row) => row.series)).size;
    }
    embedded?.finalize();
    try {
      embedded = await vegaEmbed("#chart", spec, {
        mode: "vega-lite",
        config: config(theme),
        renderer: "svg",
        ast: true, // no eval: the content security policy forbids it
        actions: false,
        defaultStyle: false, // nor a style element of the library's
        tooltip: { disableDefaultStyle: true },
      });
    } catch (error) {
      console.error(error);
      document.getElementById("chart").textContent = `This chart could not be drawn here: ${error.message}`;
    }
    document.documentElement.dataset.drawn = "1";
  }

  // A picture of the page has the colours of the page.
  async function save(kind) {
    const address = await embedded.view.toImageURL(kind, 2);
    const anchor = document.createElement("a");
    anchor.href = address;
    anchor.download = `joulemark.${kind}`;
    anchor.click();
  }

  for (const button of document.querySelectorAll("[data-picture]")) {
    button.hidden = false;
    button.addEventListener("click", () => save(button.dataset.picture));
  }
  if (chart) {
    const redraw = () => { drawing = drawing.then(draw); };
    dark.addEventListener("change", redraw);
    narrow.addEventListener("change", redraw);
    redraw();
  } else {
    document.documentElement.dataset.drawn = "0";
  }
})();
