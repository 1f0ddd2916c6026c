import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { serveTest } from '../sockets.ts';

export type SentSpan = Readonly<{
  name: string;
  trace: string;
  id: string;
  /** Empty at the root of a trace. */
  parent: string;
  kind: number;
  /** 2 where it failed. */
  status: number;
  attributes: Readonly<Record<string, string | number | boolean>>;
}>;

export type SpanReceiver = Readonly<{
  /** What OTEL_EXPORTER_OTLP_ENDPOINT is set to. */
  url: string;
  spans: readonly SentSpan[];
  requests: readonly Readonly<{ path: string; type: string | undefined; authorization: string | undefined }>[];
  /** Attributes of whoever sent the spans. */
  resource: Readonly<Record<string, unknown>>;
  /** Everything that was sent, as bytes. */
  bytes(): Buffer;
}>;

type Fields = ReadonlyMap<number, readonly (Buffer | bigint)[]>;

/** The fields of a protobuf message, by number. */
function fieldsOf(message: Buffer): Fields {
  const fields = new Map<number, (Buffer | bigint)[]>();
  let at = 0;
  function varint(): bigint {
    for (let value = 0n, shift = 0n; ; shift += 7n) {
      const byte = BigInt(message[at++]!);
      value |= (byte & 0x7fn) << shift;
      if (byte < 0x80n) return value;
    }
  }
  while (at < message.length) {
    const key = Number(varint());
    const sizes: Readonly<Record<number, number>> = { 1: 8, 5: 4 };
    let value: Buffer | bigint;
    if ((key & 7) === 0) value = varint();
    else {
      const size = (key & 7) === 2 ? Number(varint()) : sizes[key & 7]!;
      value = message.subarray(at, (at += size));
    }
    fields.set(key >> 3, [...(fields.get(key >> 3) ?? []), value]);
  }
  return fields;
}

const messagesOf = (fields: Fields, number: number) =>
  (fields.get(number) ?? []).map((bytes) => fieldsOf(bytes as Buffer));
const bytesOf = (fields: Fields, number: number) => (fields.get(number)?.[0] ?? Buffer.alloc(0)) as Buffer;

/** Attributes of one field: `{1: key, 2: {1: string} | {2: bool} | {3: integer} | {4: double}}`. */
function attributesOf(fields: Fields, number: number): Readonly<Record<string, string | number | boolean>> {
  return Object.fromEntries(
    messagesOf(fields, number).map((pair) => {
      const [value] = messagesOf(pair, 2);
      const read = value!.has(1)
        ? bytesOf(value!, 1).toString()
        : value!.has(2)
          ? value!.get(2)![0] === 1n
          : value!.has(4)
            ? bytesOf(value!, 4).readDoubleLE()
            : Number(value!.get(3)?.[0] ?? 0n);
      return [bytesOf(pair, 1).toString(), read];
    }),
  );
}

function spanOf(fields: Fields): SentSpan {
  const [status] = messagesOf(fields, 15);
  return {
    trace: bytesOf(fields, 1).toString('hex'),
    id: bytesOf(fields, 2).toString('hex'),
    parent: bytesOf(fields, 4).toString('hex'),
    name: bytesOf(fields, 5).toString(),
    kind: Number(fields.get(6)?.[0] ?? 0n),
    status: Number(status?.get(3)?.[0] ?? 0n),
    attributes: attributesOf(fields, 9),
  };
}

/** A receiver of OTLP over HTTP, as a collector is one; it ends with the test. */
export async function receiveSpans(): Promise<SpanReceiver> {
  const spans: SentSpan[] = [];
  const requests: SpanReceiver['requests'][number][] = [];
  const resource: Record<string, unknown> = {};
  const bodies: Buffer[] = [];
  function take(body: Buffer): void {
    bodies.push(body);
    for (const one of messagesOf(fieldsOf(body), 1)) {
      Object.assign(resource, ...messagesOf(one, 1).map((sender) => attributesOf(sender, 1)));
      for (const scope of messagesOf(one, 2)) spans.push(...messagesOf(scope, 2).map(spanOf));
    }
  }
  const server = createServer((req, res) => {
    const { 'content-type': type, authorization } = req.headers;
    requests.push({ path: req.url!, type, authorization });
    void buffer(req).then((body) => {
      take(body);
      res.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end();
    });
  });
  return { url: await serveTest(server), spans, requests, resource, bytes: () => Buffer.concat(bodies) };
}
