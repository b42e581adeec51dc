try { const kept = localStorage.getItem("signet.theme"); if (kept === '"light"' || kept === '"dark"') document.documentElement.dataset.theme = JSON.parse(kept); } catch {}
