import type { IncomingMessage, ServerResponse } from 'node:http';

/** An answer in place of the simulator's; `after` it has done what it was asked for. */
export type Instead = Readonly<{
  status: number;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  after?: boolean;
}>;

/** What happens to a request: it never arrives, its answer is lost, or another answer comes. */
export type Cut = 'before' | 'after' | Instead;

/** A request of the product, and what the simulator answered; nothing where it was cut. */
export type Exchange = Readonly<{
  method: string;
  url: URL;
  type: string;
  body: Uint8Array<ArrayBuffer>;
  answer?: Readonly<{ status: number; body: string }>;
}>;

/** Names of fields whose values nobody may see. */
const SECRET = /token|jwt|secret|password|^code$/i;
const SHORTEST = 12;

/**
 * Stands between the product and one simulator: counts requests, cuts them, and notes the secrets that pass. `hear` is told
 * of every exchange that has arrived.
 */
export function makeGate(slug: string, hear?: (exchange: Exchange) => void) {
  const secrets = new Set<string>();
  let calls: string[] = [];
  let running = 0;
  let armed: Readonly<{ nth: number; cut: Cut; met?: (() => void) | undefined }> | undefined;

  function note(name: string, value: unknown): void {
    if (typeof value === 'string' && value.length >= SHORTEST && SECRET.test(name)) secrets.add(value);
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) note(Array.isArray(value) ? name : key, inner);
  }

  function noteText(type: string | undefined, text: string): void {
    if (type?.includes('json') === true) note('', parsed(text));
    else if (type?.includes('urlencoded') === true) note('', Object.fromEntries(new URLSearchParams(text)));
  }

  /** What answers the body of a request as far as it was read. */
  function noteRequest(req: IncomingMessage): () => Buffer<ArrayBuffer> {
    const { authorization = '' } = req.headers;
    note('token', authorization.split(' ').at(-1));
    note('', Object.fromEntries(new URL(req.url!, 'http://x').searchParams));
    // A bot's token is a part of the path.
    note('token', /\/bot([^/]+)\//.exec(req.url!)?.[1]);
    const chunks: Buffer[] = [];
    const emit = req.emit.bind(req) as (name: string, ...args: unknown[]) => boolean;
    // A part of the body may wait to be read already.
    req.emit = ((name: string, ...args: unknown[]) => {
      if (name === 'data') chunks.push(args[0] as Buffer);
      if (name === 'end') noteText(req.headers['content-type'], Buffer.concat(chunks).toString());
      return emit(name, ...args);
    }) as IncomingMessage['emit'];
    return () => Buffer.concat(chunks);
  }

  function noteAnswer(res: ServerResponse, given: (text: string) => void): void {
    const end = res.end.bind(res) as (...args: unknown[]) => ServerResponse;
    res.end = ((...args: unknown[]) => {
      const [body] = args;
      if (typeof body === 'string' || body instanceof Uint8Array) {
        const text = Buffer.from(body as string).toString();
        noteText(String(res.getHeader('content-type')), text);
        given(text);
      }
      return end(...args);
    }) as ServerResponse['end'];
  }

  /** An error of the platform may repeat what it was sent. */
  function answerInstead(req: IncomingMessage, res: ServerResponse, { status, headers, body }: Instead): void {
    const echo = `<html>${req.headers.authorization ?? ''} ${req.url ?? ''}</html>`;
    res.writeHead(status, headers ?? { 'content-type': 'text/html' }).end(body ?? echo);
  }

  /** Has the simulator do what it is asked, and something else instead of its answer. */
  function withoutAnswer(res: ServerResponse, pass: () => void, instead: () => void): void {
    const { write, end } = res;
    res.write = () => true;
    res.end = () => {
      Object.assign(res, { write, end });
      for (const name of res.getHeaderNames()) res.removeHeader(name);
      instead();
      return res;
    };
    pass();
  }

  return {
    secrets,
    /** How many requests came since it was armed. */
    passed: () => calls.length,
    /** The verb and the address of each. */
    calls: () => calls,
    /** Whether a request is under way. */
    isBusy: () => running > 0,
    /** Counts anew; the nth request from now on is cut, and `met` is told when it comes. */
    arm(cut?: Cut, nth = 1, met?: () => void): void {
      calls = [];
      armed = cut && { nth, cut, met };
    },
    handle(req: IncomingMessage, res: ServerResponse, pass: () => void): void {
      const isOurs = req.headers['user-agent']?.startsWith('Rostra/') === true;
      if (!isOurs || !req.url!.startsWith(`/sandbox/${slug}/`)) return pass();
      calls.push(`${req.method} ${req.url!}`);
      running += 1;
      res.on('close', () => void (running -= 1));
      const cut = armed?.nth === calls.length ? armed.cut : undefined;
      let text: string | undefined;
      const bodyOf = noteRequest(req);
      noteAnswer(res, (given) => (text = given));
      res.on('close', () => {
        const { method = '', url = '', headers } = req;
        const answer = cut === undefined && text !== undefined && { answer: { status: res.statusCode, body: text } };
        const [at, type] = [new URL(url, 'http://x'), headers['content-type'] ?? ''];
        const body = bodyOf();
        // What was cut on its way is no request of the product.
        const isWhole = body.length === Number(headers['content-length'] ?? body.length);
        if (isWhole) hear?.({ method, url: at, type, body, ...answer });
      });
      if (cut !== undefined) armed!.met?.();
      if (cut === undefined) pass();
      else if (cut === 'before') req.socket.destroy();
      else if (cut === 'after') withoutAnswer(res, pass, () => req.socket.destroy());
      else if (cut.after) withoutAnswer(res, pass, () => answerInstead(req, res, cut));
      else {
        req.resume();
        answerInstead(req, res, cut);
      }
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
