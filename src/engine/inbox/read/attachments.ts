import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { loadAccount, type AccountRow } from '#db/access/accounts.ts';
import { loadMessage } from '#db/inbox/messages.ts';
import type { Store } from '#db/store/store.ts';
import { fail, noSuch } from '#kernel/errors.ts';
import type { AnswerHead } from '#kernel/net/outbound.ts';
import { OutboundError, type Outbound } from '#kernel/net/request.ts';
import { PlatformError } from '#platforms/errors.ts';
import type { AttachmentLocation } from '#platforms/messages.ts';
import { platformRefusal } from '#platforms/refusal.ts';
import type { AttachmentAddresses } from './attachment-addresses.ts';
import { missing, type Lookup } from './lookup.ts';

const DEADLINE_MS = 600_000;
const MAX_BYTES = 536_870_912;
/** Types that browsers can display safely; all others are offered as downloads. */
const SHOWN = /^(?:image\/(?:jpeg|png|gif|webp)|video\/(?:mp4|webm|quicktime|3gpp)|audio\/[\w.+-]+)$/;
const SAVED = 'application/octet-stream';
const NAME = 'attachment';

/** The bytes of an attachment, or of the requested range. */
export type AttachmentDownload = Readonly<{
  status: number;
  filename: string;
  content_type: string;
  inline: boolean;
  /** Length and range as the platform returned them. */
  headers: Readonly<Record<string, string>>;
  body: Readable;
}>;

const PASSED = ['content-length', 'content-range', 'accept-ranges'] as const;
const OUT_OF_RANGE = 416;

type AttachmentDeps = Readonly<{
  store: Store;
  lookup: Lookup;
  outbound: Pick<Outbound, 'send'>;
  addresses: AttachmentAddresses;
}>;

/** Fetches attachments that need a login from the platform when they are requested. */
export function makeAttachments({ store, lookup, outbound, addresses }: AttachmentDeps) {
  /** The attachment's current URL, and the account to fetch it with. */
  async function locate(token: string): Promise<Readonly<{ account: AccountRow; location: AttachmentLocation }>> {
    const attachment = addresses.open(token);
    if (attachment === undefined) {
      fail('auth.invalid_secret', {
        message: 'This media address has expired or is not from this server.',
        next: 'Get a new one from list_messages.',
      });
    }
    const { accountId, messageId, index } = attachment;
    const [message, account] = [
      await loadMessage(store.db, accountId, messageId),
      await loadAccount(store.db, accountId),
    ];
    const { ref } = (message?.gone_at === null ? message.attachments[index] : undefined) ?? {};
    if (ref === undefined || account === undefined) noSuch('attachment', messageId);
    const find = lookup.capabilityOf(account, 'messages.attachments', ({ messages }) => messages?.locate);
    const presentError = missing('attachment', messageId);
    return { account, location: await lookup.callPlatform(account, (call) => find(call, ref), presentError) };
  }

  return Object.freeze({
    /** Opens a URL; `range` is the request's header, which the platform may ignore. */
    async open(token: string, range: string): Promise<AttachmentDownload> {
      const { account, location } = await locate(token);
      try {
        return await download(outbound, location, /^bytes=\d*-\d*$/.test(range) ? range : undefined);
      } catch (error) {
        throw platformRefusal(account.platform, error);
      }
    },
  });
}

/** Begins a download; resolves once the headers are there, while the body is still streaming. */
async function download(
  outbound: Pick<Outbound, 'send'>,
  { url, headers, content_type, filename = NAME }: AttachmentLocation,
  range: string | undefined,
): Promise<AttachmentDownload> {
  const { promise: begun, resolve: begin, reject: end } = Promise.withResolvers<AnswerHead>();
  const ending = new AbortController();
  const body = new PassThrough();
  body.on('error', () => {});
  body.once('close', () => ending.abort());
  const sent = outbound.send({
    method: 'GET',
    url,
    headers: { 'accept-encoding': 'identity', ...headers, ...(range !== undefined && { range }) },
    purpose: 'media',
    given: false,
    deadlineMs: DEADLINE_MS,
    maxBytes: MAX_BYTES,
    overflow: 'refuse',
    redirects: 3,
    pathTemplate: '(attachment)',
    signal: ending.signal,
    head: begin,
    async sink(chunk) {
      if (!body.write(chunk)) await once(body, 'drain', { signal: ending.signal });
    },
  });
  sent.then(
    ({ status, headers: { 'content-range': length } }) => {
      body.end();
      // If the range is out of bounds, only the length is returned.
      if (status === OUT_OF_RANGE && range !== undefined)
        begin({ status, headers: length === undefined ? {} : { 'content-range': length } });
      else end(refusalOf(status));
    },
    (error: unknown) => {
      body.destroy(error as Error);
      end(error instanceof OutboundError ? unreadable() : error);
    },
  );
  const { status, headers: answered } = await begun;
  const type = (content_type ?? answered['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  const passed = PASSED.flatMap((name) => (answered[name] === undefined ? [] : [[name, answered[name]] as const]));
  const inline = SHOWN.test(type);
  return { status, filename, content_type: inline ? type : SAVED, inline, headers: Object.fromEntries(passed), body };
}

function refusalOf(status: number): PlatformError {
  const isGone = status === 404 || status === 410;
  return isGone
    ? new PlatformError('refused', 'not_found', 'The platform no longer has this attachment.', { status })
    : new PlatformError('unknown', 'api_error', 'The platform does not show this attachment.', { status });
}

/** Leaves out the cause, which may contain the URL. */
const unreadable = () => new PlatformError('unknown', 'api_error', 'The platform did not send this attachment.');
