import { pino } from 'pino';

export type Log = Readonly<{
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Log;
}>;

/** Shapes of every secret that could stand in a free text; what matches is cut to its kind. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/rostra_key_[0-9a-f]{8,}/gi, 'rostra_key_[cut]'],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, '[token cut]'],
  [/\b(Bearer|Basic|DPoP)\s+[\w.~+/=-]{6,}/gi, '$1 [cut]'],
  [/\b[a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{4}\b/gi, '[app password cut]'],
  [/([?&](?:access_token|refresh_token|code|state|token|secret|key|sig|signature|password)=)[^&\s"']+/gi, '$1[cut]'],
  [/\/bot\d+:[\w-]+/g, '/bot[cut]'],
  [/\b[0-9a-f]{48,}\b/gi, '[hex cut]'],
];

/** Takes everything that looks like a live secret out of a free text. */
export function scrub(text: string): string {
  return SECRETS.reduce((left, [shape, instead]) => left.replace(shape, instead), text);
}

/** What may be logged of an error: its name, scrubbed message and stack, and those of its causes. */
export function errorFields(error: unknown, depth = 0): object {
  if (!(error instanceof Error)) return { message: scrub(String(error)) };
  return {
    name: error.name,
    message: scrub(error.message),
    stack: scrub(error.stack ?? ''),
    ...(error.cause !== undefined && depth < 4 && { cause: errorFields(error.cause, depth + 1) }),
  };
}

/** The JSON log of the process, one line each; `destination` is for tests. */
export function makeLog(level: string, destination?: { write(line: string): void }): Log {
  const options = {
    level,
    base: null,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: errorFields },
  };
  return destination ? pino(options, destination) : pino(options);
}
