import { createHmac } from 'node:crypto';
import { createServer, request, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { macOf } from '#sandbox/zalo/pushes.ts';
import { stop } from '../../harness/sockets.ts';

export type Pushed = Readonly<{ path: string; headers: Readonly<Record<string, string>>; body: string }>;

/** The tests' address, the one at which the server can be reached from this machine, and the simulators'. */
type Sides = Readonly<{ address: string; server: string; twins: string }>;

/** Stands between the simulators and the server, both ways, and keeps what is pushed. */
export async function openTap({ address, server, twins }: Sides) {
  const pushes: Pushed[] = [];
  const here = createServer((req, res) => {
    void (async () => {
      const body = await buffer(req);
      const path = req.url ?? '/';
      if (req.method === 'POST' && path.startsWith('/push/')) {
        pushes.push({ path, headers: plain(req.headers), body: body.toString('utf8') });
      }
      const to = path.startsWith(TWINS) ? twins + path.slice(TWINS.length) : server + path;
      const headers = { ...req.headers, 'content-length': String(body.byteLength) };
      const onward = request(to, { method: req.method!, headers }, (answer) => {
        res.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(res);
      });
      onward.on('error', () => res.destroy());
      onward.end(body);
    })();
  });
  await new Promise<void>((resolve) => void here.listen(Number(new URL(address).port), '127.0.0.1', resolve));
  return Object.freeze({ pushes, twins: `${address}${TWINS}`, close: () => stop(here) });
}

/** Where the simulators are behind the tap. */
const TWINS = '/twins';

const OWN = /^(?:host|connection|content-length|transfer-encoding|keep-alive|accept-encoding)$/;

const plain = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && !OWN.test(name) ? [[name, value]] : [],
    ),
  );

type Signer = (push: Pushed, secret: string) => string | undefined;

const hmac = (algorithm: string, secret: string, text: string) => createHmac(algorithm, secret).update(text);

/** How platforms sign a body, by the header that has it; others send a secret that does not depend on the body. */
const SIGNERS: Readonly<Record<string, Signer>> = {
  'x-hub-signature-256': ({ body }, secret) => `sha256=${hmac('sha256', secret, body).digest('hex')}`,
  'x-hub-signature': ({ body }, secret) => `sha1=${hmac('sha1', secret, body).digest('hex')}`,
  'x-twitter-webhooks-signature': ({ body }, secret) => `sha256=${hmac('sha256', secret, body).digest('base64')}`,
  'x-li-signature': ({ body }, secret) => hmac('sha256', secret, `hmacsha256=${body}`).digest('hex'),
  'tiktok-signature': ({ body, headers }, secret) => {
    const at = /t=(\d+)/.exec(headers['tiktok-signature']!)?.[1] ?? '0';
    return `t=${at},s=${hmac('sha256', secret, `${at}.${body}`).digest('hex')}`;
  },
  'x-zevent-signature': ({ body }, secret) => {
    const valueOf = (name: string) => new RegExp(`"${name}":"?([^",}]*)`).exec(body)?.[1] ?? '';
    return macOf(valueOf('app_id'), body, valueOf('timestamp'), secret);
  },
};

/** The same push with another body, signed as its platform would; undefined where no secret is the one it was signed with. */
export function resigned(push: Pushed, body: string, secrets: readonly string[]): Pushed | undefined {
  const headers: Record<string, string> = { ...push.headers };
  for (const [name, sign] of Object.entries(SIGNERS)) {
    if (headers[name] === undefined) continue;
    const secret = secrets.find((one) => sign(push, one) === headers[name]);
    const proof = secret === undefined ? undefined : sign({ ...push, body }, secret);
    if (proof === undefined) return undefined;
    headers[name] = proof;
  }
  return { ...push, headers, body };
}
