import { describe, expect, it } from 'vitest';
import { fitsAlready, geometryOf, megabytes, misfitOf, typesFor, type PictureSpec } from '#kernel/pictures/picture.ts';

const feed: PictureSpec = {
  title: 'Instagram',
  types: ['image/jpeg'],
  max_bytes: 8_000_000,
  rules: { min_aspect_ratio: 0.8, max_aspect_ratio: 1.91 },
  shape: { fit: 'none' },
};
const photo = { content_type: 'image/jpeg', width: 1080, height: 1080, size_bytes: 1000 };

describe('a picture fits already', () => {
  it.each([
    ['as it is', {}, true],
    ['within the rounding of a shape', { width: 1075, height: 1350 }, true],
    ['not with another type', { content_type: 'image/webp' }, false],
    ['not with too many bytes', { size_bytes: 8_000_001 }, false],
    ['not turned', { turned: true }, false],
    ['not cut off', { incomplete: true }, false],
    ['not in CMYK', { unusual: true }, false],
    ['not too narrow', { width: 799, height: 1080 }, false],
  ])('%s', (_, more, fits) => expect(fitsAlready({ ...photo, ...more }, feed)).toBe(fits));

  it('as an animation only where the platform takes it', () => {
    const gif = { ...photo, content_type: 'image/gif', animated: true };
    const spec = { ...feed, types: ['image/jpeg', 'image/gif'], rules: {} };
    expect(fitsAlready(gif, { ...spec, rules: { animated: ['image/gif'] } })).toBe(true);
    expect(misfitOf(gif, spec)).toBe('is an animated picture, and Instagram accepts still ones only');
    expect(misfitOf({ ...gif, animated: false }, spec)).toBeUndefined();
  });
});

it('an animated PNG is refused where it would stand still', () => {
  const png = { ...photo, content_type: 'image/png', animated: true };
  expect(misfitOf(png, { ...feed, types: ['image/png'] })).toContain('Instagram accepts still pictures only');
  const moving = { ...feed, types: ['image/gif', 'image/png'], rules: { animated: ['image/gif'] } };
  expect(misfitOf(png, moving)).toContain('accepts animations as GIF');
});

describe('the limits of a shape', () => {
  const spec = (most: number, shape: PictureSpec['shape'] = { fit: 'none' }): PictureSpec => ({
    ...feed,
    rules: { min_aspect_ratio: 1 / most, max_aspect_ratio: most, max_pixels: 500_000 },
    shape,
  });
  it('are exact where they are whole, and rounded where they have decimals', () => {
    expect(geometryOf({ width: 2001, height: 100 }, spec(20))).toHaveProperty('refused');
    expect(geometryOf({ width: 100, height: 2001 }, spec(20))).toHaveProperty('refused');
    expect(geometryOf({ width: 1200, height: 628 }, spec(1.91))).not.toHaveProperty('refused');
  });

  it.for([{ fit: 'none' }, { fit: 'pad', background: '#ffffff' }, { fit: 'crop', focus: { x: 0.5, y: 0.5 } }] as const)(
    'hold after everything that is done to it: %j',
    (shape) => {
      for (let width = 1; width < 9000; width += 37) {
        for (const height of [1, 3, 449, 451, 4999]) {
          const placed = geometryOf({ width, height }, spec(20, shape));
          if ('refused' in placed) continue;
          const { canvas, inner } = placed;
          const ratio = canvas.width / canvas.height;
          const holds = {
            ratio: ratio <= 20 && ratio >= 1 / 20,
            inner: inner.width <= canvas.width && inner.height <= canvas.height,
            size: canvas.width * canvas.height <= 500_000,
          };
          expect({ width, height, ...holds }).toEqual({ width, height, ratio: true, inner: true, size: true });
        }
      }
    },
  );
});

describe('the shape of a picture', () => {
  const wide = { width: 3000, height: 1000 };

  it('is refused with the choices there are', () => {
    expect(misfitOf({ ...photo, ...wide }, feed)).toBe(
      'an image takes an aspect ratio of 4:5 to 1.91:1 (3000 x 1000); media[].fit "pad" or "crop" changes its shape',
    );
  });

  it('is not extended beyond what is taken', () => {
    const strip = { width: 5, height: 12_000 };
    const placed = geometryOf(strip, { ...feed, shape: { fit: 'pad', background: '#000000' } });
    if ('refused' in placed) throw new Error(placed.refused);
    const { width, height } = placed.canvas;
    expect(width * height).toBeLessThanOrEqual(100_000_000);
    expect(width / height).toBeCloseTo(0.8, 2);
    expect(placed.inner.height).toBe(height);
  });

  it('is extended, the picture whole', () => {
    const placed = geometryOf(wide, { ...feed, shape: { fit: 'pad', background: '#000000' } });
    expect(placed).toEqual({ cut: { left: 0, top: 0, ...wide }, inner: wide, canvas: { width: 3000, height: 1571 } });
  });

  it.each([
    [0, 0],
    [0.5, 545],
    [1, 1090],
    [0.4, 245],
  ])('is cut around its focus: %s', (x, left) => {
    const cut = { left, top: 0, width: 1910, height: 1000 };
    const size = { width: 1910, height: 1000 };
    const placed = geometryOf(wide, { ...feed, shape: { fit: 'crop', focus: { x, y: 0.5 } } });
    expect(placed).toEqual({ cut, inner: size, canvas: size });
  });

  it.each([
    [{ max_pixels: 1_000_000 }, { width: 1732, height: 577 }],
    [{ max_shorter_side: 500 }, { width: 1500, height: 500 }],
    [{ max_sides: 1000 }, { width: 750, height: 250 }],
    [{ max_sides: 4000 }, wide],
  ])('stays when it is scaled for %j', (rules, canvas) => {
    const placed = geometryOf(wide, { ...feed, rules });
    expect('canvas' in placed && placed.canvas).toEqual(canvas);
  });
});

it('a picture keeps its type where it may, and its transparency', () => {
  const all = { types: ['image/jpeg', 'image/png', 'image/webp'], rules: {} };
  expect(typesFor({ content_type: 'image/png' }, all)).toEqual(['image/png', 'image/jpeg', 'image/webp']);
  expect(typesFor({ content_type: 'image/avif' }, all)).toEqual(['image/jpeg', 'image/webp', 'image/png']);
  expect(typesFor({ content_type: 'image/avif' }, all, true)).toEqual(['image/webp', 'image/png', 'image/jpeg']);
  expect(typesFor({ content_type: 'image/avif' }, { types: ['image/bmp'], rules: {} })).toEqual([]);
});

it('sizes are said as people do', () => {
  expect([1_900_000, 99_000, 100, 8_000_000].map(megabytes)).toEqual(['1.9 MB', '99 KB', '1 KB', '8.0 MB']);
});
