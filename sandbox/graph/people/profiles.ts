import type { Page, Person } from '../docs.ts';
import { badParam } from '../api/errors.ts';
import { own, lookOf, selectionOf, type NodeType } from '../api/render.ts';
import { asSession, holds, type Actor } from '../oauth/tokens.ts';
import { drawList, drawOne, fieldsOf, pageAt, pictureUrl, type Call, type GraphWorld, type Methods } from '../world.ts';

const size = (type: string | undefined) => (type === 'large' ? 200 : 50);

const picture = (world: GraphWorld, id: string, type: string | undefined): object => ({
  data: { height: size(type), width: size(type), is_silhouette: false, url: pictureUrl(world, id) },
});

/** The caller's role on the Page; other people's roles are never shown. */
const roleOf = ({ people }: GraphWorld, actor: Actor, page: Page) =>
  actor.kind === 'app' || !actor.grant.pages.includes(page.id) ? undefined : people.role(actor.claims.person, page.id);

export function pageFields(world: GraphWorld): NodeType<Page>['fields'] {
  const { people, tokens } = world;
  return {
    ...own<Page>('name', 'username', 'category', 'about'),
    followers_count: () => people.followers().length,
    picture: ({ id }, { args }) => picture(world, id, args['type']),
    tasks: (one, { frame }) => roleOf(world, frame.actor, one)?.tasks,
    access_token: (one, { frame }) =>
      frame.actor.kind === 'app' || roleOf(world, frame.actor, one) === undefined
        ? undefined
        : tokens.forPage(frame.actor, one.id),
  };
}

/** The person of a user token; other people are not found. */
function self({ people }: GraphWorld, { actor }: Call, id: string): Person {
  const session = asSession(actor);
  const found = people.byId(id);
  if (session.kind !== 'user' || session.claims.person !== id || found === undefined)
    throw badParam('Object does not exist, cannot be loaded due to missing permission or reviewable feature', {
      subcode: 33,
    });
  return found;
}

/** Methods that read people and their Pages; `page` is the platform's type for Pages. */
export function profileMethods(world: GraphWorld, page: NodeType<Page>): Methods {
  const { people } = world;

  const person = lookOf<Person>(
    'User',
    {
      ...own<Person>('name'),
      first_name: ({ name }) => name.split(' ')[0],
      last_name: ({ name }) => name.split(' ').slice(1).join(' '),
      email: ({ handle }, { frame }) =>
        frame.actor.kind === 'user' && holds(frame.actor, 'email') ? handle.replace('.', '@') : undefined,
      picture: ({ id }, { args }) => picture(world, id, args['type']),
    },
    ['name'],
  );

  function accounts(call: Call, id: string): object {
    const { claims, grant } = asSession(call.actor);
    self(world, call, id);
    if (grant.scopes['pages_show_list'] !== 'granted') return { data: [] };
    const rows = people.rolesOf(claims.person).flatMap(({ page_id }) => {
      const found = grant.pages.includes(page_id) ? people.page(page_id) : undefined;
      return found === undefined ? [] : [found];
    });
    const below = fieldsOf(call) ?? selectionOf('access_token,category,category_list,name,id,tasks');
    return drawList(call, page, `${id}/accounts`, rows, { below });
  }

  return Object.freeze({
    'GET person': {
      params: [],
      run: (call: Call, id: string) => drawOne(call, person, self(world, call, id)),
    },
    'GET person/accounts': { params: ['is_place', 'is_promotable', 'is_business'], run: accounts },
    'GET person/businesses': { params: [], run: (call: Call, id: string) => ({ data: self(world, call, id) && [] }) },
    'GET page': {
      params: ['metadata'],
      run: (call: Call, id: string) => drawOne(call, page, pageAt(world, id)),
    },
  });
}
