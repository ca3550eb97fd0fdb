// theme.js: runs before the page is painted, so that it does not flash: the chosen theme, or the system's ("auto"). It
// also looks after the other scripts: when one of them did not arrive, the page is loaded again. (A browser drops what
// it is loading when the machine's network changes, as it does whenever a container starts.)
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('thermodyn-theme');
  } catch {
    /* storage may be forbidden: then the system's */
  }
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
})();

addEventListener(
  'error',
  (event) => {
    if (event.target instanceof HTMLScriptElement) setTimeout(() => location.reload(), 1000);
  },
  true,
);
