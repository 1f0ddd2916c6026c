/** Templates: made, listed, edited and deleted by the app, and reviewed by people of the network. */
import { badParam } from '../../graph/api/errors.ts';
import type { Look } from '../../graph/api/render.ts';
import { drawList, drawOne, live } from '../../graph/world.ts';
import type { Call, Methods } from '../../graph/world.ts';
import { digits } from '../../kit/ids.ts';
import type { Template } from '../docs.ts';
import { requireAccount } from '../errors.ts';
import type { World } from '../world.ts';
import { CATEGORIES, flawed, readComponents } from './rules.ts';
import type { Templates } from './sending.ts';

const DAY = 86_400_000;
const EDITABLE = new Set(['APPROVED', 'REJECTED', 'PAUSED']);
const MOST_EDITS = 10;
const MOST_TEMPLATES = 6000;

const look: Look<Template> = {
  name: 'MessageTemplate',
  id: ({ id }) => id,
  shown: ['name', 'parameter_format', 'components', 'language', 'status', 'category'],
  fields: {
    name: ({ name }) => name,
    language: ({ language }) => language,
    status: ({ status }) => status,
    category: ({ category }) => category,
    previous_category: ({ previous_category }) => previous_category,
    components: ({ components }) => components,
    parameter_format: ({ parameter_format }) => parameter_format,
    rejected_reason: ({ rejected_reason }) => rejected_reason,
    quality_score: ({ at }) => ({ score: 'UNKNOWN', date: Math.floor(at / 1000) }),
    last_updated_time: () => undefined,
  },
};

/** Making templates. */
function makeCreating({ nodes, clock }: World, templates: Templates) {
  return function create({ params, actor }: Call, account: string): object {
    requireAccount(actor, account, 'management');
    const name = params.required('name');
    if (!/^[a-z0-9_]{1,512}$/.test(name))
      throw badParam('Param name must be made of lowercase letters, digits and underscores');
    const language = params.required('language');
    if (!/^[a-z]{2,3}(?:_[A-Z]{2,3})?$/.test(language)) throw badParam('Param language is not supported');
    params.required('category');
    const category = params.oneOf('category', CATEGORIES) ?? '';
    const parameter_format = params.oneOf('parameter_format', ['POSITIONAL', 'NAMED']) ?? 'POSITIONAL';
    const components = readComponents(params.list('components'), category, parameter_format === 'NAMED');
    if (templates.of(account).length >= MOST_TEMPLATES)
      throw flawed(2388019, 'Message template limit exceeded', 'There are too many templates already.');
    if (templates.of(account).some((one) => one.name === name && one.language === language))
      throw flawed(
        2388024,
        'Content in This Language Already Exists',
        `There is already ${language} content for this template. You can create a new template and try again.`,
      );
    const isFresh = ({ deleted_at = 0 }: Template) => deleted_at + 30 * DAY > clock.now();
    const gone = nodes.list('template', { page: account }).filter((one) => one.name === name && isFresh(one));
    if (gone.length > 0)
      throw flawed(
        2388023,
        'Message Template Language is Being Deleted',
        `New ${language} content can't be added while the existing content is being deleted. Try again in 4 weeks.`,
      );
    const { id, status } = nodes.put('template', {
      // Ids of templates are numbers in updates, so they fit into a double.
      id: digits(15),
      at: clock.now(),
      page_id: account,
      name,
      language,
      category,
      status: 'PENDING',
      rejected_reason: 'NONE',
      parameter_format,
      components,
      edits: [],
      inCampaign: false,
    });
    return { id, status, category };
  };
}

/** The templates of accounts, for the app. */
export function templateMethods(world: World, templates: Templates): Methods {
  const { nodes, clock, store } = world;

  function templateAt({ actor, verb }: Call, id: string): Template {
    const found = live(nodes.get('template', id), id, verb.toLowerCase());
    requireAccount(actor, found.page_id, 'management');
    return found;
  }

  function edit(call: Call, id: string): object {
    const { status, edits, category: before, parameter_format } = templateAt(call, id);
    const { params } = call;
    const now = clock.now();
    if (!EDITABLE.has(status))
      throw flawed(2388025, 'Message template cannot be edited', `A template that is ${status} cannot be edited.`);
    const month = edits.filter((at) => at > now - 30 * DAY);
    if (status === 'APPROVED' && (month.length >= MOST_EDITS || month.some((at) => at > now - DAY)))
      throw flawed(2388026, 'Message template was edited too often', 'Try again later.');
    const category = params.oneOf('category', CATEGORIES) ?? before;
    const components =
      params.text('components') === undefined
        ? {}
        : { components: readComponents(params.list('components'), category, parameter_format === 'NAMED') };
    nodes.change('template', id, { ...components, category, status: 'PENDING', edits: [...month, now] });
    return { success: true };
  }

  function remove({ params, actor }: Call, account: string): object {
    requireAccount(actor, account, 'management');
    const name = params.required('name');
    const id = params.text('hsm_id');
    const found = templates.of(account).filter((one) => one.name === name && (id === undefined || one.id === id));
    if (found.length === 0)
      throw flawed(2593002, "Message template wasn't found", `There is no message template named ${name}.`);
    if (found.some(({ inCampaign }) => inCampaign))
      throw flawed(
        2593085,
        "Message template can't be deleted",
        'The message template is used by an active campaign. End the campaign and try again.',
      );
    store.write(() => {
      for (const one of found) nodes.change('template', one.id, { deleted_at: clock.now(), status: 'DELETED' });
    });
    return { success: true };
  }

  function list(call: Call, account: string): object {
    requireAccount(call.actor, account, 'management');
    const wanted = (['name', 'status', 'category', 'language'] as const).map(
      (name) => [name, call.params.text(name)] as const,
    );
    const rows = templates
      .of(account)
      .toReversed()
      .filter((one) =>
        wanted.every(([name, value]) =>
          value === undefined ? true : name === 'name' ? one.name.includes(value) : one[name] === value,
        ),
      );
    return drawList(call, look, `${account}/message_templates`, rows);
  }

  return Object.freeze({
    'GET page/message_templates': { params: ['name', 'status', 'category', 'language', 'content'], run: list },
    'POST page/message_templates': {
      params: ['name', 'language', 'category', 'components', 'parameter_format', 'allow_category_change'],
      run: makeCreating(world, templates),
    },
    'DELETE page/message_templates': { params: ['name', 'hsm_id'], run: remove },
    'GET template': { params: [], run: (call: Call, id: string) => drawOne(call, look, templateAt(call, id)) },
    'POST template': { params: ['category', 'components', 'message_send_ttl_seconds'], run: edit },
  });
}

/** What the reviewers of the network do with a template. */
export function makeReview({ nodes, updates, store }: World) {
  return function review({ id }: Template, event: string, reason = 'NONE'): Template {
    return store.write(() => {
      const status = event === 'REINSTATED' ? 'APPROVED' : event;
      const one = nodes.change('template', id, { status, rejected_reason: reason });
      updates.change(one.page_id, 'message_template_status_update', {
        event,
        message_template_id: Number(id),
        message_template_name: one.name,
        message_template_language: one.language,
        message_template_category: one.category,
        reason,
        ...(event === 'PAUSED' && { other_info: { title: 'FIRST_PAUSE', description: 'Paused for low quality.' } }),
        ...(event === 'DISABLED' && { disable_info: { disable_date: new Date(one.at).toISOString() } }),
      });
      return one;
    });
  };
}
