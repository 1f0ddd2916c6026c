import { addressIn, inside, namesFile, TOP, type FieldPosition } from '#kernel/effects/file-addresses.ts';
import { ApiError, fail } from '#kernel/errors.ts';

type Members = Readonly<Record<string, unknown>>;

export type StoreFile = (url: string) => Promise<string>;

const NEXT = 'Add the file with upload_media and name its media_id.';
/** How many files Rostra fetches for one call that waits for approval. */
const MOST_FILES = 20;

/** Stores each file that the input names by URL, and returns the input with media ids instead. */
export async function withStoredFiles(input: unknown, storeFile: StoreFile): Promise<object> {
  const stored = new Map<string, string>();

  async function idOf(url: string, field: string): Promise<string> {
    const known = stored.get(url);
    if (known !== undefined) return known;
    if (stored.size >= MOST_FILES) refuse(field, `names more than ${MOST_FILES} files by their addresses`);
    const id = await storeFile(url).catch((error: unknown) => blame(error, field));
    stored.set(url, id);
    return id;
  }

  async function replaced(value: unknown, position: FieldPosition): Promise<unknown> {
    if (typeof value !== 'object' || value === null || Symbol.asyncIterator in value) return value;
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const item of value) items.push(await replaced(item, { ...position, member: '' }));
      return items;
    }
    const { source } = value as Members;
    const ofFile = namesFile(value as Members, position)
      ? { source: await idOf(source as string, position.field), source_type: 'media_id' }
      : {};
    const members: [string, unknown][] = [];
    for (const [name, inner] of Object.entries(value))
      members.push([name, await replaced(inner, inside(position, name))]);
    return { ...Object.fromEntries(members), ...ofFile };
  }

  return (await replaced(input, TOP)) as object;
}

/** Refuses files that could change before a person approves the call. */
export function refuseFiles(input: object): void {
  const form = Object.entries(input).find(([, value]) => isForm(value));
  if (form !== undefined) {
    fail('validation.field_invalid', {
      message: `${form[0]}: a file in a form cannot wait for approval.`,
      next: 'Send it as text in csv instead.',
      meta: { field: form[0] },
    });
  }
  const field = addressIn(input);
  if (field === undefined) return;
  refuse(field, 'a file that is named by its address here cannot wait for a person: another could be there by then');
}

const isForm = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

function refuse(field: string, why: string): never {
  return fail('validation.field_invalid', { message: `${field}: ${why}.`, next: NEXT, meta: { field } });
}

/** Rethrows the refusal of a file under the name of its field. */
function blame(error: unknown, field: string): never {
  if (!(error instanceof ApiError) || error.detail.meta?.['field'] !== 'url') throw error;
  const { code, message, detail } = error;
  throw new ApiError(code, { ...detail, message: message.replace(/^url\b/, field), meta: { ...detail.meta, field } });
}
