/** A platform's rules for pictures, besides type and size; aspect ratios are width divided by height. */
export type PictureRules = Readonly<{
  animated?: readonly string[];
  /** The size limit of pictures of other types than `animated`, if it differs. */
  max_still_size_bytes?: number;
  min_size_bytes?: number;
  max_pixels?: number;
  max_shorter_side?: number;
  /** The limit of width plus height. */
  max_sides?: number;
  min_aspect_ratio?: number;
  max_aspect_ratio?: number;
}>;

/** What to do with a picture whose shape a platform does not accept: refuse, pad or crop it. */
export type PictureShape =
  | Readonly<{ fit: 'none' }>
  | Readonly<{ fit: 'pad'; background: string }>
  | Readonly<{ fit: 'crop'; focus: Readonly<{ x: number; y: number }> }>;

/** The requirements for a picture at one place where it is published. */
export type PictureSpec = Readonly<{
  /** The name of the platform, for people. */
  title: string;
  types: readonly string[];
  /** 0 means no limit. */
  max_bytes: number;
  rules: PictureRules;
  shape: PictureShape;
}>;

/** Traits of a picture; undefined ones are not known. */
export type PictureTraits = Readonly<{
  animated?: boolean | undefined;
  /** Whether the picture must be rotated or flipped to be upright. */
  turned?: boolean | undefined;
  /** Whether its colours are other than grey or RGB of 8 bits. */
  unusual?: boolean | undefined;
  /** Whether its end seems to be missing, as the decoder reports. */
  incomplete?: boolean | undefined;
}>;

export type Picture = Readonly<{
  content_type: string;
  width: number;
  height: number;
  size_bytes?: number | undefined;
}> &
  PictureTraits;

/** A picture that was converted for a place; `key` identifies its source and the requirements. */
export type ConvertedPicture = Readonly<{
  key: string;
  source: string;
  content_type: string;
  size_bytes: number;
  width: number;
  height: number;
}>;

/** Larger pictures are refused before they are decoded. */
export const MOST_PIXELS = 100_000_000;

type Sides = Readonly<{ width: number; height: number }>;

/** How a picture is cropped, scaled and padded, or the message with which it is refused. */
export type Geometry =
  | Readonly<{ cut: Sides & Readonly<{ left: number; top: number }>; inner: Sides; canvas: Sides }>
  | Readonly<{ refused: string }>;

/** The tolerance of a limit: decimal ones such as 1.91 are rounded values, whole ones such as 20:1 are exact. */
const slackOf = (limit: number): number => (Number.isInteger(limit) || Number.isInteger(1 / limit) ? 1 : 1.005);

/** The size limit of a picture for a platform, which depends on the type in which it is sent. */
export function mostBytes({ max_bytes, rules }: Pick<PictureSpec, 'max_bytes' | 'rules'>, type: string): number {
  const most = rules.animated?.includes(type) ? max_bytes : (rules.max_still_size_bytes ?? max_bytes);
  return most > 0 ? most : Infinity;
}

/** Whether a picture can be sent without conversion. */
export function fitsAlready(picture: Picture, spec: PictureSpec): boolean {
  const { content_type: type, size_bytes = 0, width, height } = picture;
  const geometry = geometryOf(picture, spec);
  return (
    spec.types.includes(type) &&
    size_bytes <= mostBytes(spec, type) &&
    !picture.turned &&
    !picture.unusual &&
    !picture.incomplete &&
    (!picture.animated || spec.rules.animated?.includes(type) === true) &&
    !('refused' in geometry) &&
    geometry.canvas.width === width &&
    geometry.canvas.height === height
  );
}

/** The types to which a picture can be converted, the best first; empty if there is none. */
export function typesFor(
  { content_type: own, animated }: Pick<Picture, 'content_type' | 'animated'>,
  { types, rules }: Pick<PictureSpec, 'types' | 'rules'>,
  hasAlpha = false,
): readonly string[] {
  const outputs = hasAlpha ? WITH_ALPHA : WITHOUT_ALPHA;
  const wanted = animated ? MOVING.filter((type) => rules.animated?.includes(type)) : outputs;
  const usable = wanted.filter((type) => types.includes(type));
  return usable.includes(own) ? [own, ...usable.filter((type) => type !== own)] : usable;
}

const WITHOUT_ALPHA: readonly string[] = ['image/jpeg', 'image/webp', 'image/png'];
const WITH_ALPHA: readonly string[] = ['image/webp', 'image/png', 'image/jpeg'];
const MOVING: readonly string[] = ['image/gif', 'image/webp'];

/** Whether a type needs a separate decoder, which is optional. */
export const isHeic = (type: string): boolean => /^image\/hei[cf]$/.test(type);

/** Why a picture cannot be made to fit, as far as its properties show; undefined if it can. */
export function misfitOf(picture: Picture, spec: PictureSpec): string | undefined {
  const { content_type: type, animated } = picture;
  if (fitsAlready(picture, spec)) return undefined;
  if (animated && type === 'image/png') {
    return `is an animated PNG, which is not converted: ${spec.title} accepts ${spec.rules.animated ? 'animations as GIF' : 'still pictures only'}`;
  }
  if (typesFor(picture, spec).length === 0) {
    return animated
      ? `is an animated picture, and ${spec.title} accepts still ones only`
      : `type ${type} is not supported (${spec.types.join(', ')})`;
  }
  const geometry = geometryOf(picture, spec);
  return 'refused' in geometry ? geometry.refused : undefined;
}

/** Calculates how a picture is cropped, scaled and padded to satisfy the rules; it is never enlarged. */
export function geometryOf({ width, height }: Sides, { rules, shape }: PictureSpec): Geometry {
  const whole = { left: 0, top: 0, width, height };
  const { min_aspect_ratio: least = 0, max_aspect_ratio: most = Infinity } = rules;
  const ratio = width / height;
  const isNarrow = ratio * slackOf(least) < least;
  const isWide = ratio > most * slackOf(most);
  if (!isNarrow && !isWide) return scaled(whole, whole, rules);
  if (shape.fit === 'none') return { refused: refusedShape({ width, height }, { least, most }) };
  const wanted = isNarrow ? least : most;
  if (shape.fit === 'crop') {
    const cut = cutOf({ width, height }, wanted, shape.focus);
    return scaled(cut, cut, rules);
  }
  const canvas = isNarrow
    ? { width: Math.max(Math.ceil(height * wanted), width), height }
    : { width, height: Math.max(Math.ceil(width / wanted), height) };
  return scaled(whole, canvas, rules);
}

function refusedShape({ width, height }: Sides, { least, most }: Readonly<{ least: number; most: number }>): string {
  const range = [least, most].map(ratioWords).filter(Boolean).join(' to ');
  return `an image takes an aspect ratio of ${range} (${width} x ${height}); media[].fit "pad" or "crop" changes its shape`;
}

const NAMED: ReadonlyMap<number, string> = new Map([[0.8, '4:5']]);

function ratioWords(ratio: number): string {
  if (ratio === 0 || ratio === Infinity) return '';
  return NAMED.get(ratio) ?? (ratio < 1 ? `1:${rounded(1 / ratio)}` : `${rounded(ratio)}:1`);
}

const rounded = (value: number) => Number(value.toFixed(2));

/** The largest section with the wanted aspect ratio around the focus. */
function cutOf({ width, height }: Sides, ratio: number, focus: Readonly<{ x: number; y: number }>) {
  const size =
    width / height > ratio
      ? { width: Math.max(Math.floor(height * ratio), 1), height }
      : { width, height: Math.max(Math.floor(width / ratio), 1) };
  const offset = (all: number, part: number, at: number) =>
    Math.round(Math.min(Math.max(all * at - part / 2, 0), all - part));
  return { ...size, left: offset(width, size.width, focus.x), top: offset(height, size.height, focus.y) };
}

function scaled(cut: Sides & Readonly<{ left: number; top: number }>, canvas: Sides, rules: PictureRules): Geometry {
  const { width, height } = canvas;
  // A padded picture must not exceed the size limit of pictures either.
  const { max_pixels = MOST_PIXELS, max_shorter_side = Infinity, max_sides = Infinity } = rules;
  const factor = Math.min(
    1,
    Math.sqrt(max_pixels / (width * height)),
    max_shorter_side / Math.min(width, height),
    max_sides / (width + height),
  );
  const inner = { width: cut.width, height: cut.height };
  return { cut, ...scaledBy({ inner, canvas: { width, height } }, factor, rules) };
}

/** Scales a picture and its canvas by at most 1; the rounded canvas keeps a shape that the rules allow. */
export function scaledBy(
  { inner, canvas }: Readonly<{ inner: Sides; canvas: Sides }>,
  factor: number,
  { min_aspect_ratio: least = 0, max_aspect_ratio: most = Infinity }: PictureRules,
): Readonly<{ inner: Sides; canvas: Sides }> {
  if (factor === 1) return { inner, canvas };
  const { width, height } = times(canvas, factor);
  const within = {
    width: Math.max(Math.min(width, Math.floor(height * most * slackOf(most))), 1),
    height: Math.max(Math.min(height, Math.floor((width / least) * slackOf(least))), 1),
  };
  const { width: w, height: h } = times(inner, factor);
  return { inner: { width: Math.min(w, within.width), height: Math.min(h, within.height) }, canvas: within };
}

/** Scales sides by at most 1, rounding down. */
function times({ width, height }: Sides, factor: number): Sides {
  if (factor === 1) return { width, height };
  const by = (side: number) => Math.max(Math.floor(side * factor), 1);
  return { width: by(width), height: by(height) };
}

/** A size in megabytes (small ones in kilobytes), for people. */
export function megabytes(bytes: number): string {
  return bytes < 100_000 ? `${Math.max(Math.round(bytes / 1000), 1)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** The name of a picture type for people, such as `JPEG` or `WebP`. */
export function typeWords(type: string): string {
  const name = type.slice(type.indexOf('/') + 1);
  return name === 'webp' ? 'WebP' : name.toUpperCase();
}
