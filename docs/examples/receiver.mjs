// A webhook receiver without dependencies: SECRET=<64 hex> TLS_CERT=cert.pem TLS_KEY=key.pem PORT=8443 node receiver.mjs
// Behind a proxy that ends TLS, leave TLS_CERT and TLS_KEY out.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';

const TOLERANCE_S = 300;
const LARGEST_BODY = 1024 * 1024;
const { SECRET, TLS_CERT, TLS_KEY, PORT = '8443' } = process.env;
if (!SECRET) {
  process.stderr.write('SECRET is missing: it is shown once, when the endpoint is registered\n');
  process.exit(2);
}

/** Whether a request is ours: signed with the secret over the raw bytes, and neither old nor from the future. */
function isGenuine(headers, rawBody) {
  const timestamp = headers['x-service-timestamp'] ?? '';
  if (!/^\d{10}$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_S) return false;
  const expected = 'sha256=' + createHmac('sha256', SECRET).update(`${timestamp}.`).update(rawBody).digest('hex');
  const given = Buffer.from(headers['x-service-signature-v2'] ?? '');
  return given.length === expected.length && timingSafeEqual(given, Buffer.from(expected));
}

/** Deliveries that were taken already: one may come more than once. A real receiver keeps these in its database. */
const taken = new Set();

async function readRaw(request) {
  const parts = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > LARGEST_BODY) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

async function take(request) {
  const rawBody = await readRaw(request);
  if (rawBody === undefined) return 413;
  if (!isGenuine(request.headers, rawBody)) return 401;
  const delivery = request.headers['x-service-delivery'];
  if (delivery !== undefined && taken.has(delivery)) return 204;
  const { event, data } = JSON.parse(rawBody.toString('utf8'));
  // Keep it and answer at once; the work can wait, the sender does so for ten seconds only.
  process.stdout.write(`${event} ${JSON.stringify(data)}\n`);
  if (delivery !== undefined) taken.add(delivery);
  return 204;
}

function answer(request, response) {
  take(request).then(
    (status) => response.writeHead(status, status === 413 ? { connection: 'close' } : {}).end(),
    () => response.writeHead(400).end(),
  );
}

const server =
  TLS_CERT && TLS_KEY
    ? createHttpsServer({ cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) }, answer)
    : createHttpServer(answer);
server.listen(Number(PORT), () => process.stdout.write(`listening on port ${server.address().port}\n`));
