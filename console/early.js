// early.js: runs before the page is painted, and before anything else of it is loaded.

// The chosen theme, or the system's ("auto"), so that the page does not flash.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('thermodyn-theme');
  } catch {
    /* storage may be forbidden: then the system's */
  }
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
})();

// When a script or a style did not arrive, the page is loaded again. (A browser drops what it is loading when the
// machine's network changes, as it does whenever a container starts.)
addEventListener(
  'error',
  (event) => {
    if (event.target?.matches?.('script, link[rel="stylesheet"]')) setTimeout(() => location.reload(), 1000);
  },
  true,
);
