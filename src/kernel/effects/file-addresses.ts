type Members = Readonly<Record<string, unknown>>;

/** Where something stands in an input: the field, and the member that holds it. */
export type FieldPosition = Readonly<{ field: string; member: string }>;

/** The input itself. */
export const TOP: FieldPosition = Object.freeze({ field: '', member: '' });

/** The position of a member of what stands at another. */
export function inside({ field }: FieldPosition, name: string): FieldPosition {
  return { field: field || name, member: name };
}

/** Whether something names a file by an http address. */
export function namesFile({ source, source_type = 'url' }: Members, { member }: FieldPosition): boolean {
  return member !== CARD && source_type === 'url' && typeof source === 'string' && /^https?:\/\//i.test(source);
}

/** The first field that names a file by an address: what is fetched from there later may be another file. */
export function addressIn(value: unknown, position: FieldPosition = TOP): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value) as [string, unknown][]) {
    if (typeof inner === 'string' && isAddress(name, inner, value, position)) return position.field || name;
    const found = addressIn(inner, inside(position, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A link card: its source is the page that it links to. */
const CARD = 'article';

/** Whether the source of a file whose type is not said can be a media id; an address has other characters. */
export const isMediaId = (source: string): boolean => /^[\w-]+$/.test(source);

/** Whether a field holds the address of a file to be fetched; other links are shown as they are. */
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
