import { EMPTY, type Draft } from '../draft.ts';

/** Local storage of a draft. */
export type Shelf = Readonly<{ get(): string | null; set(text: string): void; remove(): void }>;

/** A draft, and when its post was last changed. */
export type Kept = Readonly<{ draft: Draft; base?: string | undefined }>;

export const keepOn = (shelf: Shelf, kept: Kept): void => shelf.set(JSON.stringify(kept));

/** The kept draft, without local file URLs, which ended with their page. */
export function keptOn(shelf: Shelf): Kept | undefined {
  try {
    const kept = JSON.parse(shelf.get() ?? 'null') as Kept | null;
    if (kept === null) return undefined;
    const draft = { ...EMPTY, ...kept.draft };
    return { ...kept, draft: { ...draft, media: draft.media.map((one) => ({ ...one, url: lasting(one.url) })) } };
  } catch {
    // Whatever stands there, it is no draft of ours.
    return undefined;
  }
}

const lasting = (url: string | undefined) => (url?.startsWith('blob:') ? undefined : url);
