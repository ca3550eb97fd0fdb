// theme.js: runs before the page is painted, so that it does not flash: the chosen theme, or the system's ("auto").
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('thermodyn-theme');
  } catch {
    /* storage may be forbidden: then the system's */
  }
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
})();
