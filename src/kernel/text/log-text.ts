import { styleText } from 'node:util';
import { tableOf } from './table.ts';

type Fields = Readonly<Record<string, unknown>>;
type Style = Extract<Parameters<typeof styleText>[0], string>;

const LEVELS: ReadonlyMap<string, Style> = tableOf<Style>({
  fatal: 'red',
  error: 'red',
  warn: 'yellow',
  info: 'green',
  debug: 'cyan',
  trace: 'gray',
});

/** The fields with which the line of a request begins, written without their names. */
const REQUEST = Object.freeze(['method', 'route', 'status', 'ms']);

/** Converts a JSON log line to text for people, in colour if the stream is a terminal that supports it. */
export function textOfLine(line: string, stream?: NodeJS.WritableStream): string {
  const { time, level, msg, error, ...fields } = JSON.parse(line) as Fields;
  const paint = (style: Style, text: string) => (stream ? styleText(style, text, { stream }) : text);
  const name = String(level);
  const head = [
    paint('gray', clockTime(String(time))),
    paint(LEVELS.get(name) ?? 'gray', name.toUpperCase().padEnd(5)),
    isRequest(fields) ? requestText(fields) : String(msg),
  ];
  const tail = Object.entries(fields)
    .filter(([field]) => !isRequest(fields) || !REQUEST.includes(field))
    .map(([field, value]) => paint('gray', `${field}=`) + valueText(value));
  return [[...head, ...tail].join(' '), ...errorLines(error)].join('\n') + '\n';
}

/** The time of day without the date, because a log in a terminal is usually of today. */
function clockTime(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : date.toTimeString().slice(0, 8);
}

const isRequest = (fields: Fields): boolean => REQUEST.every((field) => field in fields);

const requestText = ({ method, route, status, ms }: Fields): string =>
  `${String(method)} ${String(route)} ${String(status)} in ${String(ms)} ms`;

function valueText(value: unknown): string {
  return typeof value === 'string' && /^[\w./:@+-]+$/.test(value) ? value : JSON.stringify(value);
}

function errorLines(error: unknown): readonly string[] {
  if (typeof error !== 'object' || error === null) return [];
  const { name, message, stack, cause } = error as Fields;
  const text =
    typeof stack === 'string' && stack !== ''
      ? stack
      : `${typeof name === 'string' ? name : 'Error'}: ${String(message)}`;
  return [...text.split('\n').map((row) => `    ${row.trim()}`), ...errorLines(cause)];
}
