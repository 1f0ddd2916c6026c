import { z } from 'zod';
import { minor, named, namedInput } from '../fields.ts';

/** A media item of a post. */
export const mediaItem = namedInput('MediaInput', {
  source: z.string().min(1).max(4096),
  source_type: z.enum(['url', 'media_id', 'platform_attachment_id']),
  type: z.enum(['image', 'video', 'audio', 'file']).optional().meta(minor),
  fit: z.enum(['none', 'pad', 'crop']).optional().describe('If a platform refuses the shape.'),
  background: z
    .string()
    .max(7)
    .regex(/^#[\da-f]{6}$/i, 'must be a colour such as #ffffff')
    .optional()
    .meta(minor),
  focus: z
    .object({ x: z.number().min(0).max(1), y: z.number().min(0).max(1) })
    .optional()
    .describe('What stays in a cropped picture, as shares of its width and height.')
    .meta(minor),
});

/** Pictures as they were published in place of others. */
export const convertedMedia = z
  .array(
    named('ConvertedPicture', {
      source: z.string(),
      content_type: z.string(),
      size_bytes: z.int(),
      width: z.int(),
      height: z.int(),
    }),
  )
  .describe('Pictures as they were made to fit the platform.');
