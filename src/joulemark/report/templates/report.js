"use strict";
(async () => {
  // Base64 of gzip: figures are a tenth as long so, scripts a third.
  function unpacked(id) {
    const text = atob(document.getElementById(id).textContent);
    const bytes = Uint8Array.from(text, (sign) => sign.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
  }

  // The content security policy knows the library by its hash.
  async function loadLibrary() {
    const script = document.createElement("script");
    script.textContent = await unpacked("library-gzip").text();
    document.head.append(script);
  }

  const charts = await loadLibrary().then(() => unpacked("charts-gzip").json()).catch((error) => {
    console.error(error); // the tables need no charts
    return [];
  });
  const themes = JSON.parse(document.getElementById("themes-json").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const narrow = matchMedia("(max-width: 700px)");
  const controls = document.getElementById("table-controls");
  const chosen = new URLSearchParams(location.hash.slice(1));
  const shared = ["algorithm", "workload", "size"];
  const views = new Map();
  let drawing = Promise.resolve();

  // What a parameter of a chart may be set to; one value only where there is no dropdown.
  const options = (param) => param.bind?.options ?? [param.value];
  const param = (spec, name) => spec.params.find((one) => one.name === name);

  // One choice holds for every chart and table that has it, and is kept in the address.
  function choose(name, text) {
    if (chosen.get(name) === text) return;
    chosen.set(name, text);
    history.replaceState(null, "", `#${chosen}`);
    apply(name, text);
  }

  function apply(name, text) {
    for (const { spec, view } of views.values()) {
      const value = param(spec, name) && options(param(spec, name)).find((one) => String(one) === text);
      if (value !== undefined && view.signal(name) !== value) view.signal(name, value).runAsync();
    }
    const select = controls?.elements[name];
    if (select && [...select.options].some((one) => one.value === text)) select.value = text;
    showTables();
  }

  function showTables() {
    if (!controls) return;
    let shown = 0;
    for (const group of document.querySelectorAll(".group")) {
      group.hidden = shared.some((name) => {
        const wanted = controls.elements[name].value;
        return wanted !== "" && group.dataset[name] !== wanted;
      });
      shown += !group.hidden;
    }
    document.getElementById("no-table").hidden = shown > 0;
  }

  function config(theme) {
    const legend = narrow.matches
      ? { orient: "bottom", columns: 2, labelLimit: 130, title: null }
      : { orient: "right" };
    return { ...theme.config, legend: { ...theme.config.legend, ...legend } };
  }

  // The chart as asked for, with what was chosen before or stands in the address.
  function prepared(chart, theme) {
    const before = views.get(chart.name)?.view;
    const spec = structuredClone(chart.spec);
    param(spec, "palette").value = theme.palette;
    for (const name of [...shared, "lines", "relative"]) {
      const own = param(spec, name);
      if (!own) continue;
      const wanted = String(before ? before.signal(name) : chosen.get(name));
      const offered = name === "relative" ? [true, false] : options(own);
      own.value = offered.find((one) => String(one) === wanted) ?? own.value;
    }
    return spec;
  }

  async function drawOne(chart, theme) {
    const spec = prepared(chart, theme);
    views.get(chart.name)?.finalize();
    const embedded = await vegaEmbed(`#chart-${chart.name}`, spec, {
      mode: "vega-lite",
      config: config(theme),
      renderer: "svg",
      ast: true, // no eval: the content security policy forbids it
      actions: { export: true, source: false, compiled: false, editor: false },
      downloadFileName: `joulemark-${chart.name}`,
      tooltip: { theme: dark.matches ? "dark" : "light" },
    });
    views.set(chart.name, { ...embedded, spec: chart.spec });
    for (const name of shared) {
      if (param(spec, name)?.bind) {
        embedded.view.addSignalListener(name, (_, value) => choose(name, String(value)));
      }
    }
  }

  async function draw() {
    const theme = themes[dark.matches ? "dark" : "light"];
    for (const chart of charts) {
      try {
        await drawOne(chart, theme);
      } catch (error) {
        console.error(error);
        const place = document.getElementById(`chart-${chart.name}`);
        place.textContent = `This chart could not be drawn here: ${error.message}`;
      }
    }
    document.documentElement.dataset.drawn = String(views.size);
  }

  function redraw() {
    drawing = drawing.then(draw);
  }

  // Paper is white whatever the screen is; the style sheet sees to text and grid.
  function recolour(theme) {
    for (const { view } of views.values()) view.signal("palette", theme.palette).runAsync();
  }

  controls?.addEventListener("change", (event) => choose(event.target.name, event.target.value));
  controls?.addEventListener("submit", (event) => event.preventDefault());
  const download = document.getElementById("download");
  download.addEventListener("click", async (event) => {
    if (download.href.startsWith("blob:")) return;
    event.preventDefault();
    const text = JSON.stringify(await unpacked("results-gzip").json(), null, 1);
    download.href = URL.createObjectURL(new Blob([text, "\n"], { type: "application/json" }));
    download.click();
  });
  dark.addEventListener("change", redraw);
  narrow.addEventListener("change", redraw);
  addEventListener("beforeprint", () => recolour(themes.light));
  addEventListener("afterprint", () => recolour(themes[dark.matches ? "dark" : "light"]));
  for (const name of shared) if (chosen.has(name)) apply(name, chosen.get(name));
  showTables();
  redraw();
})();
