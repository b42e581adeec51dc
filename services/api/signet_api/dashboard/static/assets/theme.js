// Before the first paint, so that a page in the dark does not flash white.
try { const kept = localStorage.getItem("signet.theme"); if (kept === '"light"' || kept === '"dark"') document.documentElement.dataset.theme = JSON.parse(kept); } catch { /* no storage, no choice */ }
