import { ApiError, fail } from '#kernel/errors.ts';

type Members = Readonly<Record<string, unknown>>;

export type StoreFile = (url: string) => Promise<string>;

const NEXT = 'Add the file with upload_media and name its media_id.';
/** How many files of one call are fetched while it waits. */
const MOST_FILES = 20;

/** An input in which each file that is named by its address is stored and named by its media id instead. */
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

  async function replaced(value: unknown, field: string): Promise<unknown> {
    if (typeof value !== 'object' || value === null || Symbol.asyncIterator in value) return value;
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const item of value) items.push(await replaced(item, field));
      return items;
    }
    const { source } = value as Members;
    const ofFile = namesFile(value as Members)
      ? { source: await idOf(source as string, field), source_type: 'media_id' }
      : {};
    const members: [string, unknown][] = [];
    for (const [name, inner] of Object.entries(value)) members.push([name, await replaced(inner, field || name)]);
    return { ...Object.fromEntries(members), ...ofFile };
  }

  return (await replaced(input, '')) as object;
}

/** Refuses what may be another file by the time a person agrees. */
export function refuseFiles(value: unknown, field = ''): void {
  if (typeof value !== 'object' || value === null) return;
  if (Symbol.asyncIterator in value) {
    fail('validation.field_invalid', {
      message: `${field}: a file in a form cannot wait for approval.`,
      next: 'Send it as text in csv instead.',
      meta: { field },
    });
  }
  for (const [name, inner] of Object.entries(value) as [string, unknown][]) {
    if (typeof inner === 'string' && isAddress(name, value, field)) {
      const why = 'a file that is named by its address here cannot wait for a person: another could be there by then';
      refuse(field || name, why);
    }
    refuseFiles(inner, field || name);
  }
}

/** Whether something names a file by an address that is fetched. */
function namesFile({ source, source_type = 'url' }: Members): boolean {
  return source_type === 'url' && typeof source === 'string' && /^https?:\/\//i.test(source);
}

/** Whether a field holds the address of a file to be fetched; other links are shown as they are. */
function isAddress(name: string, { source_type }: Readonly<{ source_type?: unknown }>, inside: string): boolean {
  switch (name) {
    case 'source':
      // Options of platforms may leave it out, and mean an address.
      return source_type !== 'media_id' && source_type !== 'platform_attachment_id';
    case 'link':
      return inside === 'components';
    case 'url':
      return inside === '';
    default:
      return name === 'attachment_url' || name === 'image_url';
  }
}

function refuse(field: string, why: string): never {
  return fail('validation.field_invalid', { message: `${field}: ${why}.`, next: NEXT, meta: { field } });
}

/** The refusal of a file, as one of the field that names it. */
function blame(error: unknown, field: string): never {
  if (!(error instanceof ApiError) || error.detail.meta?.['field'] !== 'url') throw error;
  const { code, message, detail } = error;
  throw new ApiError(code, { ...detail, message: message.replace(/^url\b/, field), meta: { ...detail.meta, field } });
}
