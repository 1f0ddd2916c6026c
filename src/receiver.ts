// A webhook receiver for local tests: HTTPS under a local CA, checking every V2 signature.
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { issueLeaf, openCertificateAuthority } from './certificate-authority.ts';
import { systemClock } from '#kernel/clock.ts';
import { signV2, safeEqual } from '#kernel/sign.ts';

const MAX_BODY = 1024 * 1024;
/** Timestamps further from the receiver's clock should be refused. */
const MAX_AGE_S = 300;
const SECRET = /^[0-9a-f]{64}$/;

const USAGE = `usage: receiver [--port 8443] [--folder ./data] [--secret <64 hex>] [--fail N]
  --port    0 takes any free port
  --folder  where the CA is kept: receiver-ca.pem and its key
  --secret  the endpoint's secret; it can also be pasted while the receiver runs
  --fail    answer the first N deliveries with 500`;

type Options = Readonly<{
  port: number;
  folder: string;
  secrets?: readonly string[];
  /** How many deliveries are answered with 500 at first. */
  fail?: number;
  now: () => number;
  print: (line: string) => void;
}>;

type Receiver = Readonly<{
  url: string;
  caFile: string;
  /** Adds a secret of the endpoint; earlier ones stay valid, as after a rotation. */
  addSecret(secret: string): void;
  close(): Promise<void>;
}>;

/** Starts a receiver on loopback; its certificate is signed by the CA in `folder`. */
export async function startReceiver(options: Options): Promise<Receiver> {
  const authority = await openCertificateAuthority(options.folder, options.now());
  const leaf = await issueLeaf(authority, options.now());
  const secrets = [...(options.secrets ?? [])];
  let failures = options.fail ?? 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return end(response, 405, { allow: 'POST' });
    const body = await readBody(request);
    if (body === undefined) return end(response, 413, { connection: 'close' });
    const seen = inspect(request.headers, body, secrets, options.now());
    const failing = failures > 0;
    if (failing) failures -= 1;
    const verdict = seen.accepted ? 204 : 401;
    const status = failing ? 500 : verdict;
    options.print(`${seen.line}  -> ${status}${failing ? ` (${failures} failures left)` : ''}`);
    end(response, status);
  }

  function take(request: IncomingMessage, response: ServerResponse): void {
    answer(request, response).catch(() => response.destroy());
  }

  function make(): Server {
    const server = createServer({ key: leaf.key, cert: leaf.cert }, take);
    return server.on('tlsClientError', (error) =>
      options.print(`TLS handshake failed (${printable(error.message)}); the sender must trust ${authority.certFile}`),
    );
  }

  const servers = await listen(make, options.port);
  const { port } = servers[0]!.address() as AddressInfo;
  return Object.freeze({
    url: `https://localhost:${port}/`,
    caFile: authority.certFile,
    addSecret: (secret: string) => void secrets.unshift(secret),
    async close() {
      await Promise.all(servers.map((server) => stop(server)));
    },
  });
}

/** Listens on both loopback addresses, since `localhost` may be either. */
async function listen(make: () => Server, port: number): Promise<Server[]> {
  const first = make().listen(port, '127.0.0.1');
  await once(first, 'listening');
  const second = make().listen((first.address() as AddressInfo).port, '::1');
  const hasBoth = await once(second, 'listening').then(
    () => true,
    () => false,
  );
  return hasBoth ? [first, second] : [first];
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

function end(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, headers).end();
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_BODY) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

type Seen = Readonly<{ accepted: boolean; line: string }>;

/** Checks a delivery: signature over the raw body in constant time, and a recent timestamp. */
function inspect(headers: IncomingMessage['headers'], body: Buffer, secrets: readonly string[], now: number): Seen {
  const prefix = Object.keys(headers)
    .find((name) => name.endsWith('-signature-v2'))
    ?.slice(0, -'signature-v2'.length);
  const header = (name: string) => printable(String(headers[`${prefix ?? 'x-service-'}${name}`] ?? ''));
  const timestamp = header('timestamp');
  const age = /^\d{10}$/.test(timestamp) ? now / 1000 - Number(timestamp) : Number.NaN;
  const given = header('signature-v2');
  const signed = given !== '' && secrets.some((secret) => safeEqual(given, signV2(secret, timestamp, body)));
  const fresh = Math.abs(age) <= MAX_AGE_S;
  const good = fresh ? 'yes' : 'yes, but too old';
  const bad = secrets.length === 0 ? 'no secret yet' : 'no';
  const judgement = signed ? good : bad;
  const ageText = Number.isNaN(age) ? 'unknown' : `${age.toFixed(1)} s`;
  const line = `${header('event') || '(no event)'}  ${header('delivery') || '(test)'}  V2 verified: ${judgement}  age: ${ageText}`;
  return { accepted: signed && fresh, line };
}

/** Replaces unprintable characters, which a terminal might obey. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 200);
}

/** The instructions that a running receiver prints. */
export function instructions(receiver: Pick<Receiver, 'url' | 'caFile'>, hasSecret: boolean): string {
  const body = JSON.stringify({ url: receiver.url, events: ['post.published', 'post.partial', 'post.failed'] });
  return [
    `Receiver listening at ${receiver.url}`,
    '',
    '1. Start the server with these two settings:',
    `     WEBHOOK_CA_FILE=${receiver.caFile}`,
    '     ALLOW_PRIVATE_NETWORK=127.0.0.0/8,::1/128',
    '2. Register this receiver with it, at the port it has (ROSTRA_KEY is an API key of yours):',
    `     curl -sS http://localhost:8080/v1/webhooks -H "Authorization: Bearer $ROSTRA_KEY" -H 'Content-Type: application/json' -d '${body}'`,
    hasSecret
      ? '3. Deliveries are checked with the secret you gave.'
      : '3. Paste the "secret" of the answer here and press Enter; until then every delivery is answered 401.',
    '',
  ].join('\n');
}

function whole(text: string, most: number): number | undefined {
  return /^\d{1,6}$/.test(text) && Number(text) <= most ? Number(text) : undefined;
}

type Arguments = Readonly<{ port: number; folder: string; secrets: readonly string[]; fail: number }>;

/** Parses the command line; returns an error message if it is invalid. */
export function readArguments(args: readonly string[]): Arguments | string {
  const text = { type: 'string' } as const;
  const known = { port: text, folder: text, fail: text, secret: { ...text, multiple: true } } as const;
  let values;
  try {
    values = parseArgs({ args: [...args], options: known }).values;
  } catch (error) {
    return (error as Error).message;
  }
  const port = whole(values.port ?? '8443', 65_535);
  const fail = whole(values.fail ?? '0', 999_999);
  if (port === undefined) return '--port must be 0 to 65535';
  if (fail === undefined) return '--fail must be a number of deliveries';
  const secrets = values.secret ?? [];
  if (!secrets.every((secret) => SECRET.test(secret)))
    return '--secret must be 64 hex characters, as the server shows it';
  return { port, fail, secrets, folder: resolve(values.folder ?? './data') };
}

export async function runReceiver(args: readonly string[]): Promise<void> {
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  if (args.some((arg) => arg === '--help' || arg === '-h')) return print(USAGE);
  const given = readArguments([...args]);
  if (typeof given === 'string') {
    process.stderr.write(`receiver: ${given}\n${USAGE}\n`);
    process.exitCode = 2;
    return;
  }
  const receiver = await startReceiver({ ...given, now: systemClock.now, print });
  print(instructions(receiver, given.secrets.length > 0));
  const typed = createInterface({ input: process.stdin });
  typed.on('line', (line) => {
    const secret = line.trim();
    if (secret === '') return;
    if (SECRET.test(secret)) receiver.addSecret(secret);
    print(
      SECRET.test(secret)
        ? 'Secret added; deliveries are checked with it.'
        : 'A secret is 64 hex characters; this is not one.',
    );
  });
  const leave = () => {
    typed.close();
    process.off('SIGINT', leave).off('SIGTERM', leave);
    void receiver.close();
  };
  process.on('SIGINT', leave).on('SIGTERM', leave);
}

if (import.meta.main) {
  await runReceiver(process.argv.slice(2)).catch((error: unknown) => {
    process.stderr.write(`receiver: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
