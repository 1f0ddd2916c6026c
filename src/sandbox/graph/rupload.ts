/** The upload host: bytes of reels and stories by offset, or by the address of a file. */
import type { Context } from 'koa';
import { wireTime } from '../../kernel/clock.ts';
import type { JournalEntry } from '../journal.ts';
import { brokenToken, GraphError, trouble } from './errors.ts';
import type { Video } from '../facebook/docs.ts';
import { AnswerLost, makeGate, refuse, tokenOf } from './server.ts';
import type { ServerOptions } from './server.ts';
import { requireWrite } from './tokens.ts';
import type { VideoStates } from '../facebook/videos/state.ts';
import { facebookPage } from '../facebook/world.ts';

const LARGEST = 1024 * 1024 * 1024;
const GATHERED = 1024 * 1024;

/** A refusal of the upload host, which has an envelope of its own. */
class UploadRefusal extends Error {
  readonly status: number;
  readonly type: string;
  readonly retriable: boolean;

  constructor(status: number, type: string, message: string, retriable = false) {
    super(message);
    this.status = status;
    this.type = type;
    this.retriable = retriable;
  }
}

const tooMany = () => new UploadRefusal(400, 'PartialRequestError', 'More bytes came than were announced');

function number(ctx: Context, name: string): number {
  const value = ctx.get(name);
  if (!/^\d{1,12}$/.test(value))
    throw new UploadRefusal(400, 'PartialRequestError', `The header ${name} must be a number of bytes`);
  return Number(value);
}

/** Takes the bytes of an upload, pushed or fetched from an address. */
function makeReceiving(world: ServerOptions['world']) {
  const { store, files, nodes, fetching } = world;

  async function receive(ctx: Context, video: Video): Promise<void> {
    const size = number(ctx, 'file_size');
    let at = number(ctx, 'offset');
    if (size === 0 || size > LARGEST || (video.file_size !== undefined && video.file_size !== size))
      throw new UploadRefusal(400, 'ProcessingFailedError', 'The file size is not acceptable');
    if (at > video.received)
      throw new UploadRefusal(
        400,
        'OffsetInvalidError',
        `Request starting offset is invalid; ${video.received} bytes are here`,
        true,
      );
    // Before the body is read: a connection cut in the middle of it carries no answer.
    if (at + (ctx.request.length ?? 0) > size) throw tooMany();
    let waiting: Buffer[] = [];
    let gathered = 0;
    const flush = () => {
      if (gathered === 0) return;
      const bytes = Buffer.concat(waiting);
      store.write(() => {
        files.write(video.blob, at, bytes);
        at += bytes.length;
        nodes.change('video', video.id, { received: at, file_size: size });
      });
      waiting = [];
      gathered = 0;
    };
    try {
      for await (const chunk of ctx.req) {
        const bytes = chunk as Buffer;
        if (at + gathered + bytes.length > size) throw tooMany();
        waiting.push(bytes);
        gathered += bytes.length;
        if (gathered >= GATHERED) flush();
      }
    } finally {
      // What came before the line broke stays, and is where the next request goes on.
      flush();
    }
    if (at < size)
      throw new UploadRefusal(400, 'PartialRequestError', 'Partial request (did not match length of file)', true);
  }

  async function fetchFile(url: string, video: Video): Promise<void> {
    const blob = await fetching.media(url, LARGEST);
    if (blob === undefined)
      throw new UploadRefusal(400, 'ProcessingFailedError', 'The file could not be downloaded from its address');
    nodes.change('video', video.id, { blob: blob.id });
  }

  return Object.freeze({ receive, fetchFile });
}

/** Answers below `/rupload/video-upload`. */
export function uploadHost(
  options: Pick<ServerOptions, 'world' | 'faults' | 'journal' | 'wait' | 'complain'>,
  states: VideoStates,
): (ctx: Context, segments: readonly string[]) => Promise<void> {
  const { world, journal, complain } = options;
  const { nodes, tokens, people, clock } = world;

  /** The video of an upload address, and the right of the caller to fill it. */
  function open(ctx: Context, id: string): Video {
    const token = tokenOf(ctx, undefined);
    // Only the Authorization header counts here, with its own scheme.
    if (token === undefined || !ctx.get('authorization').startsWith('OAuth '))
      throw brokenToken('Invalid OAuth access token.');
    const actor = tokens.actor(token, undefined);
    const video = nodes.get('video', id);
    if (video === undefined || video.deleted_at !== undefined || video.made_by === 'videos')
      throw new UploadRefusal(404, 'NotFoundError', 'There is no such upload');
    requireWrite(actor, facebookPage(world, video.page_id), people, {
      scopes: ['pages_manage_posts'],
      task: 'CREATE_CONTENT',
    });
    return video;
  }

  const { receive, fetchFile } = makeReceiving(world);

  async function upload(ctx: Context, id: string, entry: JournalEntry): Promise<object> {
    const token = tokenOf(ctx, undefined);
    entry.person = token === undefined ? undefined : tokens.claimsOf(token)?.person;
    const video = open(ctx, id);
    const gate = makeGate(options, entry, ctx, video.page_id);
    await gate.before();
    const current = open(ctx, id);
    if (current.uploaded) {
      ctx.req.resume();
      await gate.after(true);
      return { success: true };
    }
    const url = ctx.get('file_url');
    if (url === '') await receive(ctx, current);
    else await fetchFile(url, current);
    await states.uploaded(id);
    await gate.after(true);
    return { success: true };
  }

  function refuseUpload(ctx: Context, entry: JournalEntry, { status, type, message, retriable }: UploadRefusal): void {
    entry.error = type;
    ctx.status = status;
    // What is left of the body is never read.
    if (!ctx.req.complete) ctx.set('Connection', 'close');
    ctx.body = { debug_info: { retriable, type, message } };
  }

  return async function answerUpload(ctx, [kind, version = '', id = '', ...more]) {
    if (kind !== 'video-upload' || !/^v\d{1,3}\.0$/.test(version) || more.length > 0) return;
    if (ctx.method !== 'POST' && ctx.method !== 'GET') {
      ctx.status = 405;
      return;
    }
    const entry = journal.open({
      at: wireTime(clock.now()),
      network: 'facebook',
      verb: 'rupload',
      method: `${ctx.method} rupload`,
    });
    entry.note = id;
    try {
      ctx.body = ctx.method === 'GET' ? { offset: open(ctx, id).received } : await upload(ctx, id, entry);
      ctx.status = 200;
    } catch (error) {
      if (error instanceof AnswerLost) {
        ctx.respond = false;
        ctx.req.socket.destroy();
        return;
      }
      // The caller hung up in the middle; there is nobody to answer.
      if (ctx.req.destroyed && !ctx.req.complete) return;
      if (error instanceof UploadRefusal) refuseUpload(ctx, entry, error);
      else {
        if (!(error instanceof GraphError)) complain(error, 'facebook upload');
        refuse(ctx, entry, error instanceof GraphError ? error : trouble());
      }
    }
    entry.status = ctx.status;
  };
}
