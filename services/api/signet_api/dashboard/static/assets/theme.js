try { const kept = JSON.parse(localStorage["signet.theme"]); if (/^(light|dark)$/.test(kept)) document.documentElement.dataset.theme = kept; } catch {}
