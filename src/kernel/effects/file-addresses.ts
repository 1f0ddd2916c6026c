type Members = Readonly<Record<string, unknown>>;

/** A position within an input: the top-level field, and the name of the member. */
export type FieldPosition = Readonly<{ field: string; member: string }>;

/** The position of the input as a whole. */
export const TOP: FieldPosition = Object.freeze({ field: '', member: '' });

/** The position of a member of the value at another position. */
export function inside({ field }: FieldPosition, name: string): FieldPosition {
  return { field: field || name, member: name };
}

/** Whether an object refers to a file by an http address. */
export function namesFile({ source, source_type = 'url' }: Members, { member }: FieldPosition): boolean {
  return member !== CARD && source_type === 'url' && typeof source === 'string' && /^https?:\/\//i.test(source);
}

/** The first field that contains a file's address, which may lead to another file by the time it is fetched. */
export function addressIn(value: unknown, position: FieldPosition = TOP): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value) as [string, unknown][]) {
    if (typeof inner === 'string' && isAddress(name, inner, value, position)) return position.field || name;
    const found = addressIn(inner, inside(position, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A link card, whose source is a page and not a file. */
const CARD = 'article';

/** Whether a source without a type can be a media id; addresses contain characters that ids do not. */
export const isMediaId = (source: string): boolean => /^[\w-]+$/.test(source);

/** Whether a field contains the address of a file to fetch; other links are only displayed. */
function isAddress(
  name: string,
  value: string,
  { source_type }: Readonly<{ source_type?: unknown }>,
  { field, member }: FieldPosition,
): boolean {
  switch (name) {
    case 'source':
      if (member === CARD || source_type === 'media_id' || source_type === 'platform_attachment_id') return false;
      return source_type !== undefined || !isMediaId(value);
    case 'link':
      return field === 'components';
    case 'url':
      return field === '';
    default:
      return name === 'attachment_url' || name === 'image_url';
  }
}
