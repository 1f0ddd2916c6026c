import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { serveTest } from './sockets.ts';

/** What goes wrong with one request: an answer instead of the effect, or none at all after it. */
export type Fault =
  | Readonly<{ status: number; code?: string; body?: string; headers?: Readonly<Record<string, string>> }>
  /** Does what is asked, and hangs up. */
  | 'lost'
  /** Hangs up after the headers of the request. */
  | 'reset'
  /** Never answers. */
  | 'hangs';

type Seen = Readonly<{ method: string; key: string; range: string | undefined; status: number }>;

export type S3 = Awaited<ReturnType<typeof startS3>>;

type Options = Readonly<{
  /** What the storage takes the time to be; signatures of other times are refused. */
  now?: () => number;
  pathStyle?: boolean;
  /** How many keys a page of a list has at most. */
  perPage?: number;
}>;

const REGION = 'eu-test-1';
const KEY_ID = 'AKIDEXAMPLE';
const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const BUCKET = 'rostra-media';
const SKEW_MS = 15 * 60_000;

/** A bucket on loopback that speaks as S3 does, checks every signature by itself, and fails on demand. */
export async function startS3({ now = () => Date.now(), pathStyle = true, perPage = 1000 }: Options = {}) {
  const objects = new Map<string, Readonly<{ bytes: Buffer; changed: number }>>();
  const seen: Seen[] = [];
  const faults: Fault[] = [];
  let always: Fault | undefined;

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(req.url!, 'http://x');
    const key = pathname.replace(pathStyle ? /^\/[^/]+\/?/ : /^\//, '');
    const note = (status: number) => void seen.push({ method: req.method!, key, range: req.headers.range, status });
    const fault = always ?? faults.shift();
    if (fault === 'hangs') return note(0);
    if (fault === 'reset') {
      note(0);
      return void req.socket.destroy();
    }
    const body = await buffer(req);
    if (typeof fault === 'object') {
      note(fault.status);
      const xml = fault.body ?? (fault.code === undefined ? '' : `<Error><Code>${fault.code}</Code></Error>`);
      return void res.writeHead(fault.status, fault.headers).end(req.method === 'HEAD' ? undefined : xml);
    }
    const refusal = refuse(req, body, now(), pathStyle);
    const answer = refusal ?? act(req, key, searchParams, body);
    note(answer.status);
    if (fault === 'lost') return void req.socket.destroy();
    res.writeHead(answer.status, answer.headers).end(req.method === 'HEAD' ? undefined : answer.body);
  }

  function act(req: IncomingMessage, key: string, query: URLSearchParams, body: Buffer): Answer {
    if (query.get('list-type') === '2') return list(query);
    const found = objects.get(key);
    switch (req.method) {
      case 'PUT':
        objects.set(key, { bytes: body, changed: now() });
        return { status: 200, headers: { 'content-length': '0' } };
      case 'DELETE':
        objects.delete(key);
        return { status: 204 };
      case 'HEAD':
      case 'GET':
        return found ? read(found.bytes, req.headers.range) : refused(404, 'NoSuchKey');
      default:
        return refused(405, 'MethodNotAllowed');
    }
  }

  function list(query: URLSearchParams): Answer {
    const after = Buffer.from(query.get('continuation-token') ?? '', 'base64').toString();
    const keys = [...objects.keys()]
      .filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after)
      .toSorted();
    const page = keys.slice(0, Math.min(perPage, Number(query.get('max-keys'))));
    const more = page.length < keys.length;
    const next = more
      ? `<NextContinuationToken>${Buffer.from(page.at(-1)!).toString('base64')}</NextContinuationToken>`
      : '';
    const contents = page.map((key) => {
      const changed = new Date(objects.get(key)!.changed).toISOString();
      const name = key.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
      return `<Contents><Key>${name}</Key><LastModified>${changed}</LastModified></Contents>`;
    });
    const xml = `<IsTruncated>${more}</IsTruncated>${contents.join('')}${next}`;
    return {
      status: 200,
      body: `<?xml version="1.0"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${xml}</ListBucketResult>`,
    };
  }

  const server = createServer((req, res) => {
    handle(req, res).catch(() => req.socket.destroy());
  });
  const { port } = new URL(await serveTest(server));
  const host = `localhost:${port}`;
  return {
    settings: {
      url: pathStyle ? `http://${host}/${BUCKET}` : `http://${BUCKET}.${host}`,
      region: REGION,
      accessKeyId: KEY_ID,
      secretAccessKey: SECRET,
    },
    /** The same settings as environment variables. */
    env: {
      MEDIA_S3_ENDPOINT: `http://${host}`,
      MEDIA_S3_BUCKET: BUCKET,
      MEDIA_S3_REGION: REGION,
      MEDIA_S3_ACCESS_KEY_ID: KEY_ID,
      MEDIA_S3_SECRET_ACCESS_KEY: SECRET,
      MEDIA_S3_PATH_STYLE: pathStyle ? 'on' : 'off',
    },
    objects,
    seen,
    /** Taken one by one by the requests that come next. */
    faults,
    /** As if the whole storage was gone: every request is answered so while it is set. */
    down: (fault: Fault | undefined) => void (always = fault),
  };
}

type Answer = Readonly<{ status: number; headers?: Record<string, string>; body?: string | Buffer }>;

function read(bytes: Buffer, range: string | undefined): Answer {
  const asked = /^bytes=(\d+)-(\d+)$/.exec(range ?? '');
  if (!asked) return { status: 200, headers: { 'content-length': String(bytes.byteLength) }, body: bytes };
  const [from, to] = [Number(asked[1]), Math.min(Number(asked[2]), bytes.byteLength - 1)];
  if (from > to) return refused(416, 'InvalidRange');
  const headers = { 'content-range': `bytes ${from}-${to}/${bytes.byteLength}` };
  return { status: 206, headers, body: bytes.subarray(from, to + 1) };
}

function refused(status: number, code: string): Answer {
  return { status, body: `<?xml version="1.0"?>\n<Error><Code>${code}</Code><Message>no</Message></Error>` };
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const hex = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const escaped = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** Signature Version 4, written from its description: every header that counts is signed, and the body is what was signed. */
function refuse(req: IncomingMessage, body: Buffer, now: number, pathStyle: boolean): Answer | undefined {
  const { headers } = req;
  const parsed =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w{64})$/.exec(
      headers.authorization ?? '',
    );
  if (!parsed) return refused(403, 'AccessDenied');
  const [, id, day = '', region = '', names = '', signature] = parsed;
  const signed = names.split(';');
  const date = String(headers['x-amz-date']);
  const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (id !== KEY_ID) return refused(403, 'InvalidAccessKeyId');
  if (!(Math.abs(at - now) < SKEW_MS) || !date.startsWith(day)) return refused(403, 'RequestTimeTooSkewed');
  if (region !== REGION) return refused(400, 'AuthorizationHeaderMalformed');
  const must = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))];
  if (!must.every((name) => signed.includes(name))) return refused(403, 'AccessDenied');

  const [path = '', search = ''] = req.url!.split('?');
  const query = [...new URLSearchParams(search)]
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .toSorted()
    .join('&');
  const canonical = [
    req.method,
    path,
    query,
    ...signed.map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names,
    headers['x-amz-content-sha256'],
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const key = ['s3', 'aws4_request'].reduce(hmac, hmac(hmac(`AWS4${SECRET}`, day), region));
  const expected = hmac(key, ['AWS4-HMAC-SHA256', date, scope, hex(canonical)].join('\n')).toString('hex');
  if (signature !== expected) return refused(403, 'SignatureDoesNotMatch');
  if (headers['x-amz-content-sha256'] !== hex(body)) return refused(400, 'XAmzContentSHA256Mismatch');
  const bucket = pathStyle ? path.split('/')[1] : headers.host?.split('.')[0];
  return bucket === BUCKET ? undefined : refused(404, 'NoSuchBucket');
}
