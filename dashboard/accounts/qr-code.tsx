import type { JSX } from 'preact';
import { qrOf } from './qr.ts';

/** The empty margin that scanners need, in modules. */
const MARGIN = 4;

/** A QR code that phones scan from the screen; nothing if the text is too long for one. */
export function QrCode({ text, label }: Readonly<{ text: string; label: string }>): JSX.Element | null {
  const rows = qrOf(text);
  if (rows === undefined) return null;
  const size = rows.length + 2 * MARGIN;
  const dark = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x + MARGIN} ${y + MARGIN}h1v1h-1z`] : [])),
  );
  return (
    <details>
      <summary>QR code</summary>
      <svg class="qr" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shape-rendering="crispEdges">
        <path d={dark.join('')} />
      </svg>
    </details>
  );
}
