import { createHash } from 'node:crypto';

/** The inline style of reports, which are read offline. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #16202b; --quiet: #546171; --paper: #ffffff; --panel: #f4f6f8; --rule: #d7dde3; --mark: #1257a6; --wash: #1257a633; }
@media (prefers-color-scheme: dark) { :root { --ink: #e9eef3; --quiet: #a3b0bd; --paper: #12181f; --panel: #1b232c; --rule: #33404d; --mark: #74b1f5; --wash: #74b1f540; } }
@media print { :root { color-scheme: light; --ink: #16202b; --quiet: #546171; --paper: #ffffff; --panel: #f4f6f8; --rule: #d7dde3; --mark: #1257a6; --wash: #1257a633; } section, tr, .tile { break-inside: avoid; } a { color: inherit; } @page { margin: 15mm; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; print-color-adjust: exact; }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2.5rem 0 0.75rem; }
p { margin: 0.25rem 0; }
.quiet { color: var(--quiet); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: 0.75rem; margin: 1.5rem 0 0; }
.tile { background: var(--panel); border-radius: 0.5rem; padding: 0.75rem 1rem; }
.tile dt { color: var(--quiet); font-size: 0.875rem; }
.tile dd { margin: 0; font-size: 1.35rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.notes { background: var(--panel); border-left: 4px solid var(--mark); padding: 0.5rem 1rem; margin: 1.5rem 0 0; }
svg { display: block; width: 100%; height: auto; }
.grid { stroke: var(--rule); stroke-width: 1; }
.axis { stroke: var(--quiet); stroke-width: 1; }
.tick { fill: var(--quiet); font-size: 12px; }
.bar, .dot { fill: var(--mark); }
.surface { fill: var(--wash); }
.edge { fill: none; stroke: var(--mark); stroke-width: 2; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.75rem 0.4rem 0; border-bottom: 1px solid var(--rule); }
th { color: var(--quiet); font-weight: 600; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.day { white-space: nowrap; }
td.text { min-width: 14rem; overflow-wrap: anywhere; }
a { color: var(--mark); }
`;

/** The hash of the style for the Content-Security-Policy. */
export const STYLE_HASH = `sha256-${createHash('sha256').update(STYLE).digest('base64')}`;
