/** Streams a multipart form whose last part is a large file to disk, as object stores accept them. */
import type { Context } from 'koa';
import type { Files } from '../files.ts';

const LARGEST_HEAD = 64 * 1024;
const END = '\r\n\r\n';

/** Why a form was refused: not a form, no file, a part after the file, or cut off. */
export type FormFlaw = 'no form' | 'no file' | 'not last' | 'cut off';

async function fieldsIn(head: Buffer, type: string, boundary: string): Promise<ReadonlyMap<string, string>> {
  const whole = Buffer.concat([head, Buffer.from(`${head.length === 0 ? '' : '\r\n'}--${boundary}--\r\n`)]);
  // oxlint-disable-next-line typescript/no-deprecated -- the head is bounded and in memory already
  const form = await new Response(new Uint8Array(whole), { headers: { 'content-type': type } }).formData();
  return new Map([...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : [])));
}

/** Reads a form: `take` receives its fields and returns the file to write. The result is the fault, if any. */
export async function streamForm(
  ctx: Context,
  files: Pick<Files, 'writer'>,
  take: (fields: ReadonlyMap<string, string>) => string,
): Promise<FormFlaw | undefined> {
  const type = ctx.get('content-type');
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)"?/i.exec(type)?.[1];
  if (boundary === undefined) return 'no form';
  const mark = Buffer.from(`\r\n--${boundary}`);
  let waiting: Buffer = Buffer.alloc(0);
  let writer: ReturnType<Files['writer']> | undefined;
  let tail: Buffer | undefined;

  async function open(): Promise<FormFlaw | undefined> {
    const name = /content-disposition:[^\r\n]*\bfilename=/i.exec(waiting.toString('latin1'))?.index ?? -1;
    const end = name === -1 ? -1 : waiting.indexOf(END, name);
    if (end === -1) return waiting.length > LARGEST_HEAD ? 'no file' : undefined;
    const start = waiting.lastIndexOf(mark, name);
    const head = waiting.subarray(0, Math.max(0, start));
    writer = files.writer(take(await fieldsIn(head, type, boundary!)));
    waiting = waiting.subarray(end + END.length);
    return undefined;
  }
  for await (const chunk of ctx.req) {
    waiting = Buffer.concat([waiting, chunk as Buffer]);
    const flaw = writer === undefined ? await open() : undefined;
    if (flaw !== undefined) return flaw;
    if (writer === undefined) continue;
    const at = tail === undefined ? waiting.indexOf(mark) : 0;
    if (at === -1) {
      // The chunk may end in the middle of a boundary.
      const sure = Math.max(0, waiting.length - mark.length);
      writer.add(waiting.subarray(0, sure));
      waiting = waiting.subarray(sure);
    } else if (tail === undefined) {
      writer.add(waiting.subarray(0, at));
      tail = Buffer.alloc(0);
      waiting = waiting.subarray(at + mark.length);
    }
    if (tail !== undefined && waiting.length > 4) return 'not last';
  }
  if (writer === undefined) return 'no file';
  if (tail === undefined) return 'cut off';
  writer.flush();
  return waiting.toString().startsWith('--') ? undefined : 'not last';
}
