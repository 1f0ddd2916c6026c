import { html } from '../../html.ts';
import { shownPerson, shownPost } from '../../kit/people.ts';
import type { Resident, SandboxPerson, SandboxPost } from '../../twin.ts';
import type { Person } from '../../graph/docs.ts';
import { isLive } from '../docs.ts';
import type { Posts } from '../posts.ts';
import { permalinkOf, SLUG } from '../world.ts';
import type { World } from '../world.ts';

/** People and posts as every twin shows its own to the network. */
export function makeShown(world: World, posts: Posts) {
  const { nodes, people, hosts } = world;

  return Object.freeze({
    // Nobody logs in with a password here: the consent page lets one choose who to be.
    known: (person: Person): SandboxPerson => shownPerson(SLUG, person, { posts: posts.of(person.id).length }),
    /** Everything a person said, deleted posts included. */
    history: (person: Person): readonly SandboxPost[] =>
      nodes.list('post', { page: person.id }).map((post) =>
        shownPost(SLUG, person, {
          id: post.id,
          text: post.text,
          exists: isLive(post),
          path: new URL(permalinkOf(world, post)).pathname,
          versions: post.versions,
        }),
      ),
    cast: (): readonly Resident[] =>
      people.all().map(({ id, handle, name, owner }) => ({
        handle,
        name,
        path: `${new URL(hosts.www()).pathname}/@${handle}`,
        part: owner
          ? html`Can be connected${nodes.get('grant', id) !== undefined && ', and uses the app'}.`
          : html`Answers, likes and mentions.`,
      })),
  });
}
