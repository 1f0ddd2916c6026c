import type { AccountRow } from '#db/access/accounts.ts';
import { loadAliases } from '#db/inbox/aliases.ts';
import { loadConversation } from '#db/inbox/conversations.ts';
import { loadTemplate } from '#db/inbox/templates.ts';
import type { Store } from '#db/store/store.ts';
import type { Tx } from '#db/store/tx.ts';
import { refuseDead, type PlatformCodes } from '#call/accounts.ts';
import type { AccountFinder } from '#call/ports.ts';
import { partOf, type SendBegun, type SendContext, type Sent } from '#call/sends.ts';
import type { Clock } from '#kernel/clock.ts';
import type { SentTemplate, TemplateRequest } from '#platforms/business.ts';
import type { MessageContent } from '#platforms/inbox-types.ts';
import { refusedFailure } from '#platforms/refusal.ts';
import type { Lookup } from '../read/lookup.ts';
import { dmStatus } from '../record/events.ts';
import { record } from '../record/record.ts';
import { sentAs } from './messages.ts';
import type { SendingModule } from './sending.ts';

type TemplateSendingDeps = Readonly<{
  store: Store;
  clock: Clock;
  find: AccountFinder;
  lookup: Lookup;
  sending: SendingModule;
}>;

type Sender = Readonly<{ on: PlatformCodes; accountId: string }>;

/** Sends message templates, which can also be sent to people who have never written. */
export function makeTemplateSending({ store, clock, find, lookup, sending }: TemplateSendingDeps) {
  async function deliver(call: SendContext, { on, accountId }: Sender, request: TemplateRequest, begun?: SendBegun) {
    const { authority, workspace, signal } = call;
    const account = await find(authority, on, accountId);
    const { send } = lookup.capabilityOf(account, 'templates.send', (connector) => connector.templates);
    refuseDead(account);
    const known = await loadTemplate(store.db, account.id, request.template_name, request.language);
    const content = templateContent(request, known?.body);
    const { to, ...rest } = request;
    return sending.send<SentTemplate>(
      {
        kind: 'template',
        account,
        workspace,
        metered: false,
        begun,
        request: { place: to, content: rest },
        parts: [partOf(send, request)],
        messages: [content],
        idOf: ({ message_id }) => message_id,
        async keep(tx, sent, { correlationId }) {
          const now = clock.now();
          const message = sentAs(content, sent, correlationId, now);
          const events = [{ kind: 'message', conversation: sent.conversation, message }] as const;
          await record(tx, account, events, { silent: false, now });
        },
        async refused(tx, error) {
          const conversation = await conversationWith(tx, account, to);
          const status = { status: 'failed', ids: [], at: clock.now(), error: refusedFailure(error) } as const;
          // A new person has no conversation yet that the event could refer to.
          if (conversation) await tx.emit(dmStatus(account, conversation, status));
        },
      },
      signal,
    );
  }

  return Object.freeze({
    /** Sends a template without charging a credit; a new person gets a conversation. */
    async send(call: SendContext, sender: Sender, request: TemplateRequest, begun?: SendBegun) {
      const sent = await sending.settle(begun, call.signal, () => deliver(call, sender, request, begun));
      return answerOf(request.to, sent);
    },
  });
}

async function conversationWith({ db, dialect }: Tx, account: AccountRow, person: string) {
  const aliases = await loadAliases(db, dialect, account.id, [person]);
  const current = aliases.find(({ thing }) => thing === 'conversation')?.platform_id ?? person;
  return loadConversation(db, account.id, current);
}

/** A template as the inbox shows it; includes its text if the body is known. */
function templateContent({ template_name: name, language, components }: TemplateRequest, body = ''): MessageContent {
  const text = body === '' ? `[template ${name}]` : fillVariables(body, components);
  return { text, attachments: [], metadata: { template: { name, language, components } } };
}

function fillVariables(body: string, components: TemplateRequest['components']): string {
  const values = components.filter(({ type }) => type.toLowerCase() === 'body').flatMap(({ parameters }) => parameters);
  return body.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (variable, name: string) => {
    const named = values.find((value) => value.parameter_name === name) ?? values[Number(name) - 1];
    return named?.text ?? variable;
  });
}

/** If the platform's response was lost, only the message's id is known. */
function answerOf(to: string, { made: [made] }: Sent<Pick<SentTemplate, 'message_id'> & Partial<SentTemplate>>) {
  const { message_id, recipient, message_status } = made!;
  return { message_id, input: to, recipient: recipient ?? to, message_status };
}
