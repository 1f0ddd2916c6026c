import { PageError } from '../../forms.ts';
import { must } from '../../kit/acts.ts';
import type { Values } from '../../kit/acts.ts';
import type { Page, Person } from '../docs.ts';
import type { World } from '../world.ts';

const LARGEST = 25 * 1024 * 1024;

export const person = { label: 'Who', kind: 'follower' } as const;
export const page = { label: 'Page', kind: 'page' } as const;
export const thing = { label: 'Post or comment', kind: 'thing' } as const;
export const comment = { label: 'Comment', kind: 'comment' } as const;
export const message = { label: 'Message', kind: 'message' } as const;
export const text = (label: string) => ({ label, kind: 'text' }) as const;
export const long = (label: string) => ({ label, kind: 'long' }) as const;
export const maybe = (label: string) => ({ label, kind: 'text', optional: true }) as const;

/** Reads what was filled in as the people and things of the twin; refuses what is not there. */
export function makeCast({ people, fetching }: World) {
  return Object.freeze({
    who(values: Values): Person {
      const found = people.find(must(values, 'person'));
      if (found === undefined) throw new PageError(404, 'There is no such person.');
      return found;
    },
    where(values: Values): Page {
      const found = people.findPage(must(values, 'page'));
      if (found === undefined) throw new PageError(404, 'There is no such Page.');
      return found;
    },
    there<T extends { deleted_at?: number }>(doc: T | undefined, what: string): T {
      if (doc === undefined || doc.deleted_at !== undefined) throw new PageError(404, `There is no such ${what}.`);
      return doc;
    },
    async fileOf(url: string | undefined): Promise<string | undefined> {
      if (url === undefined) return undefined;
      const blob = await fetching.media(url, LARGEST);
      if (blob === undefined) throw new PageError(400, 'The file cannot be read from its address.');
      return blob.id;
    },
  });
}
