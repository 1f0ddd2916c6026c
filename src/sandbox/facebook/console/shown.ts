import { ABOUT } from '../about.ts';
import { shownPerson, shownPost } from '../../kit/people.ts';
import type { SandboxPerson, SandboxPost } from '../../twin.ts';
import type { Person } from '../../graph/docs.ts';
import type { Post } from '../docs.ts';
import { permalinkOf } from '../posts/look.ts';
import type { World } from '../world.ts';

export type Shown = Readonly<{
  known(person: Person): SandboxPerson;
  /** Every post of a person's Pages with its past. */
  history(person: Person): readonly SandboxPost[];
  /** The newest public posts. */
  latest(count: number): readonly Post[];
}>;

/** Owners and posts as every twin shows its own to the network. */
export function makeShown(world: World): Shown {
  const { nodes, people } = world;
  const pagesOf = (person: string) => people.rolesOf(person).map(({ page_id }) => page_id);
  const postsOf = (person: string) => pagesOf(person).flatMap((page) => nodes.list('post', { page }));
  const isPublic = ({ is_published, deleted_at }: Post) => is_published && deleted_at === undefined;

  return Object.freeze({
    // Nobody logs in with a password here: the dialog lets one choose who to be.
    known: (person: Person) => shownPerson(ABOUT.slug, person, { posts: postsOf(person.id).filter(isPublic).length }),
    history: (person: Person) =>
      postsOf(person.id).map((post) =>
        shownPost(ABOUT.slug, person, {
          id: post.id,
          text: post.message ?? '',
          exists: isPublic(post),
          path: new URL(permalinkOf(world, post)).pathname,
          versions: post.versions,
        }),
      ),
    latest: (count: number) =>
      nodes
        .list('post')
        .filter(isPublic)
        .toSorted((a, b) => a.at - b.at)
        .slice(-count)
        .toReversed(),
  });
}
