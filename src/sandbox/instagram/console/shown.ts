import type { Person } from '../../graph/docs.ts';
import { html } from '../../html.ts';
import { shownPerson, shownPost } from '../../kit/people.ts';
import type { Resident, SandboxPerson, SandboxPost } from '../../twin.ts';
import { isLive } from '../docs.ts';
import { accountOf } from '../logins.ts';
import type { Posts } from '../posts.ts';
import { permalinkOf, SLUG } from '../world.ts';
import type { World } from '../world.ts';

/** People and posts as every twin shows its own to the network. */
export function makeShown(world: World, posts: Posts) {
  const { nodes, people, hosts } = world;
  const accountsOf = ({ id }: Person) => people.rolesOf(id).map(({ page_id }) => page_id);

  function partOf(person: Person) {
    const { id, owner } = person;
    if (!owner) return html`Follower: comments, mentions and writes.`;
    const connected = nodes.get('grant', id) !== undefined && ' Uses the app.';
    if (accountOf(world, person) !== undefined) return html`Account: connect it by the Instagram log-in.${connected}`;
    const pages = accountsOf(person).flatMap((page) => people.page(page)?.name ?? []);
    return html`Logs in on Facebook, with ${pages.length === 0 ? 'no Page' : pages.join(', ')}.${connected}`;
  }

  return Object.freeze({
    // Nobody logs in with a password here: the consent page lets one choose who to be.
    known: (person: Person): SandboxPerson =>
      shownPerson(SLUG, person, { posts: accountsOf(person).flatMap((account) => posts.own(account)).length }),
    /** Everything the accounts of a person posted, deleted posts included. */
    history: (person: Person): readonly SandboxPost[] =>
      accountsOf(person)
        .flatMap((page) => nodes.list('media', { page }))
        .filter(({ author }) => author === undefined)
        .map((one) =>
          shownPost(SLUG, person, {
            id: one.id,
            text: one.caption ?? '',
            exists: isLive(one),
            path: new URL(permalinkOf(world, one)).pathname,
            versions: one.versions,
          }),
        ),
    cast: (): readonly Resident[] =>
      people.all().map((person) => ({
        handle: person.handle,
        name: person.name,
        path: accountOf(world, person) === undefined ? undefined : `${new URL(hosts.www()).pathname}/${person.handle}`,
        part: partOf(person),
      })),
  });
}
