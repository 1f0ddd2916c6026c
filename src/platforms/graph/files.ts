import * as z from 'zod';
import { tableOf } from '#kernel/text/table.ts';
import type { Attachment } from '../inbox-types.ts';
import { text } from '../shared/fields.ts';

const File = z.object({ media_type: text, media_url: text, thumbnail_url: text });

/** The requested file fields of a post, or those of its carousel items. */
export const Files = File.extend({
  children: z
    .object({ data: z.array(File) })
    .optional()
    .catch(undefined),
});

const TYPES: ReadonlyMap<string, Attachment['type']> = tableOf({ VIDEO: 'video', AUDIO: 'audio' });

/** The files of a post; one without a URL (Meta withholds it for music) is represented by its thumbnail. */
export function filesOf({ children, ...whole }: z.output<typeof Files>): readonly Attachment[] {
  return (children?.data ?? [whole]).flatMap(({ media_type: kind = '', media_url: url, thumbnail_url: picture }) => {
    if (url !== undefined) return [{ type: TYPES.get(kind) ?? 'image', url }];
    return picture === undefined ? [] : [{ type: 'image', url: picture }];
  });
}
