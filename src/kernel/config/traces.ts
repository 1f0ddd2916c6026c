import { wrong, type Values } from './reader.ts';
import { list, url, type Parse } from './values.ts';

/** Where traces are sent by the OpenTelemetry protocol; undefined if nowhere. */
export type Traces =
  | Readonly<{ url: string; headers: Readonly<Record<string, string>>; service: string; share: number }>
  | undefined;

const PROTOCOL = 'http/protobuf';
const HEADERS = 'must be <name>=<value>, separated by commas; values may be percent-encoded';

/** Parses `<name>=<value>` pairs separated by commas; values may be percent-encoded. */
const headers: Parse<Readonly<Record<string, string>>> = (value, wrong) =>
  Object.freeze(
    Object.fromEntries(
      list(value, wrong).map((part) => {
        const [, name, content] = /^([\w-]+)\s*=\s*(.*)$/.exec(part) ?? wrong(HEADERS);
        try {
          return [name!, decodeURIComponent(content!)];
        } catch {
          return wrong(HEADERS);
        }
      }),
    ),
  );

const share: Parse<number> = (value, wrong) =>
  /^(?:0(?:\.\d+)?|1(?:\.0+)?)$/.test(value) ? Number(value) : wrong('must be a number from 0 to 1');

/** Reads the settings of OpenTelemetry that its own packages do not read. */
export function traces({ text, optional, required }: Values): Traces {
  const endpoint = optional('OTEL_EXPORTER_OTLP_ENDPOINT', url);
  if (endpoint === undefined) return undefined;
  if ((text('OTEL_EXPORTER_OTLP_PROTOCOL') ?? PROTOCOL) !== PROTOCOL)
    wrong('OTEL_EXPORTER_OTLP_PROTOCOL', `must be ${PROTOCOL}, which collectors take on port 4318`);
  return Object.freeze({
    url: `${endpoint}/v1/traces`,
    headers: optional('OTEL_EXPORTER_OTLP_HEADERS', headers) ?? {},
    service: text('OTEL_SERVICE_NAME') ?? 'rostra',
    share: required('OTEL_TRACES_SAMPLER_ARG', share, '1'),
  });
}
