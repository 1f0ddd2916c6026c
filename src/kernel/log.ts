import { pino, type LogFn, type Logger } from 'pino';
import { isoTime, systemClock } from './clock.ts';
import { StoreUnavailable } from './errors.ts';
import { textOfLine } from './text/log-text.ts';

export type Log = Readonly<{
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** Writes the line of a request. */
  served(level: 'debug' | 'info', request: Served): void;
}>;

/** What the log says about a request; `ms` is the time it took. */
export type Served = Readonly<{
  requestId: string;
  address: string;
  method: string;
  route: string;
  tool: string | undefined;
  status: number;
  ms: number;
  traceId: string | undefined;
}>;

/** Patterns of secrets in free text; each match is replaced by what it was. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/rostra_key_[0-9a-f]{8,}/gi, 'rostra_key_[cut]'],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, '[token cut]'],
  [/\b(Bearer|Basic|DPoP)\s+[\w.~+/=-]{6,}/gi, '$1 [cut]'],
  [/\b[a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{4}\b/gi, '[app password cut]'],
  [/([?&](?:access_token|refresh_token|code|state|token|secret|key|sig|signature|password)=)[^&\s"']+/gi, '$1[cut]'],
  [/\/bot\d+:[\w-]+/g, '/bot[cut]'],
  [/("(?:password|app_password|accessJwt|refreshJwt|secret|token)"\s*:\s*")[^"]+/gi, '$1[cut]'],
  [/(\b[a-z][\w+.-]{0,30}:\/\/[^\s/:@]{0,200}:)[^\s@]{0,400}@/gi, '$1[cut]@'],
  [/\b[0-9a-f]{32,}\b/gi, '[hex cut]'],
  [/\b\d{8,20}\|[\w-]{20,}/g, '[token cut]'],
  // Long random strings. Words and our own ids do not match, as they have no capitals or no digits.
  [/(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{32,}/g, '[token cut]'],
];

/** Replaces everything in a text that looks like a secret. */
export function scrub(text: string): string {
  return SECRETS.reduce((left, [shape, instead]) => left.replace(shape, instead), text);
}

/** The numbers or names that a platform gave for its error. */
function platformFields(details: unknown): object {
  const { code, subcode } = (details ?? {}) as Readonly<Record<string, unknown>>;
  return {
    ...(typeof code === 'number' && { platform_code: code }),
    ...(typeof code === 'string' && { platform_code: scrub(code) }),
    ...(typeof subcode === 'number' && { platform_subcode: subcode }),
  };
}

/** The parts of an error that may be logged: name, scrubbed message and stack, and the same of its causes. */
function errorFields(error: unknown, depth = 0): object {
  if (!(error instanceof Error)) return { message: scrub(String(error)) };
  const { code, status, upstream, details } = error as Error & Readonly<Record<string, unknown>>;
  const inner = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return {
    name: error.name,
    message: scrub(error.message),
    ...(typeof code === 'string' && { code }),
    ...(typeof status === 'number' && { status }),
    ...(typeof upstream === 'string' && { upstream: scrub(upstream) }),
    ...platformFields(details),
    stack: scrub(error.stack ?? ''),
    ...(inner.length > 0 && depth < 4 && { errors: inner.slice(0, 5).map((one) => errorFields(one, depth + 1)) }),
    ...(error.cause !== undefined && depth < 4 && { cause: errorFields(error.cause, depth + 1) }),
  };
}

const BATCH_MS = 200;
/** A batch is written once it has this many bytes; the rest of its memory is for the line that comes last. */
const BATCH_BYTES = 32_768;
/** How many bytes of the log are kept in memory while the disk is full. */
const WAITING_BYTES = 1_000_000;

/** Writes lines in batches, because one write per request would cost more than the request; warnings at once. */
export function batched(output: { write(bytes: Buffer): void }) {
  const urgent = pino.levels.values['warn']!;
  const batch = Buffer.allocUnsafeSlow(2 * BATCH_BYTES);
  let filled = 0;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = setTimeout(pause, BATCH_MS).unref();
    const bytes = Buffer.from(batch.subarray(0, filled));
    filled = 0;
    output.write(bytes);
  }
  function pause(): void {
    timer = undefined;
    if (filled > 0) flush();
  }
  process.once('exit', pause);

  return {
    // With this flag Pino reports the level of a line, so that the line need not be parsed.
    [pino.symbols.needsMetadataGsym]: true as const,
    lastLevel: 0,
    write(line: string) {
      // A character takes three bytes at most.
      if (filled > 0 && filled + 3 * line.length > batch.length) flush();
      if (3 * line.length > batch.length) output.write(Buffer.from(line));
      else filled += batch.write(line, filled);
      if (filled > 0 && (timer === undefined || this.lastLevel >= urgent || filled >= BATCH_BYTES)) flush();
    },
  };
}

/** The store logs an outage once by itself; errors that follow from it are only logged at debug level. */
function withoutEchoes(this: Logger, args: Parameters<LogFn>, method: LogFn, level: number): void {
  const { error } = args[0] as { error?: unknown };
  if (error instanceof StoreUnavailable && level > pino.levels.values['debug']!) this.debug(...args);
  else method.apply(this, args);
}

/** Log formats: JSON, text for people, or (`auto`) text in a terminal and JSON elsewhere. */
export const LOG_FORMATS = Object.freeze(['auto', 'json', 'text'] as const);
export type LogFormat = (typeof LOG_FORMATS)[number];

let clockMs = 0;
let clockText = '';

/** The time of a line as a JSON field; the text is reused for lines within the same millisecond. */
function timeField(): string {
  const now = systemClock.now();
  if (now !== clockMs) {
    clockMs = now;
    clockText = `,"time":"${isoTime(now)}"`;
  }
  return clockText;
}

type Destination = { write(line: string): unknown; lastLevel?: number };
export type LogSettings = Readonly<{ level: string; format?: LogFormat }>;

/** The log of the process, on standard output by default. */
export function makeLog({ level, format = 'auto' }: LogSettings, destination?: Destination): Log {
  const options = {
    level,
    base: null,
    timestamp: timeField,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: errorFields },
    hooks: { logMethod: withoutEchoes },
  };
  const output = destination ?? process.stdout;
  const stream = [process.stdout, process.stderr].find((standard) => standard === output);
  const isText = format === 'text' || (format === 'auto' && stream?.isTTY === true);
  const lines: Destination = isText
    ? { write: (line: string) => void output.write(textOfLine(line, stream)) }
    : (destination ?? standardOutput());
  const logger = pino(options, lines);
  return Object.assign(logger, {
    served(at: 'debug' | 'info', request: Served) {
      if (!logger.isLevelEnabled(at)) return;
      if (lines.lastLevel !== undefined) lines.lastLevel = pino.levels.values[at]!;
      lines.write(lineOf(at, request));
    },
  });
}

/** The line of a request as Pino would write it, in a third of the time: every request has one. */
function lineOf(level: string, { requestId, address, method, route, tool, status, ms, traceId }: Served): string {
  const texts = `"address":${JSON.stringify(address)},"method":"${method}","route":${JSON.stringify(route)}`;
  const named = tool === undefined ? '' : `,"tool":${JSON.stringify(tool)}`;
  const traced = traceId === undefined ? '' : `,"trace_id":"${traceId}"`;
  const begin = `{"level":"${level}"${timeField()},"request_id":"${requestId}",`;
  return `${begin}${texts}${named},"status":${status},"ms":${ms}${traced},"msg":"served"}\n`;
}

/** One output per process, because lines of two would get out of order. */
function standardOutput(): ReturnType<typeof batched> {
  if (standard !== undefined) return standard;
  const output = pino.destination({ fd: 1, sync: true, maxLength: WAITING_BYTES, contentMode: 'buffer' });
  // If the disk is full or the terminal is closed, lines are lost but the process continues.
  output.on('error', () => {});
  return (standard = batched(output as unknown as { write(bytes: Buffer): void }));
}
let standard: ReturnType<typeof batched> | undefined;
