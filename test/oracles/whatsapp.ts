import { openOracle } from './oracle.ts';

type SentType =
  | 'Text'
  | 'Image'
  | 'Video'
  | 'Audio'
  | 'Document'
  | 'Sticker'
  | 'Location'
  | 'Reaction'
  | 'Interactive'
  | 'Template';
/** What stands inside of a message with a file. */
const MEDIA = Object.freeze({
  image: 'CaptionedMedia',
  video: 'CaptionedMedia',
  document: 'DocumentMedia',
  audio: 'BareMedia',
  sticker: 'BareMedia',
} as const);

type Schema =
  | (typeof MEDIA)[keyof typeof MEDIA]
  | `${SentType}Message`
  | 'MessageResponsePayload'
  | 'WebhookPayload'
  | 'Media'
  | 'UploadedMedia'
  | 'Template'
  | 'TemplateList'
  | 'NewTemplate'
  | 'MadeTemplate'
  | 'WhatsAppAccountNumber'
  | 'WhatsAppBusinessAccountPhoneNumbersConnection'
  | 'WhatsAppBusinessPhoneNumberRegistrationResponse'
  | 'DeregisterResponse'
  | 'RequestCodeResponse'
  | 'VerifyCodeResponse'
  | 'WhatsAppBusinessProfileResponse'
  | 'WhatsAppBusinessProfileUpdateResponse'
  | 'SubscribedAppsResponse'
  | 'SubscriptionResponse';

const { flawsOf } = openOracle<Schema>('./meta-whatsapp.json');

/** What the published schema of WhatsApp has against a value. */
export { flawsOf };

const schemaOf = ({ type = 'text' }: { type?: string }) =>
  `${type.charAt(0).toUpperCase()}${type.slice(1)}Message` as `${SentType}Message`;

/**
 * What the schema has against the messages and templates that an app has sent to the twin, out of the twin's own lists.
 * The schema does not know business-scoped ids (a `recipient` counts as a `to`), callback data and voice messages.
 */
export function flawsOfSent({ messages, templates }: { messages: readonly any[]; templates: readonly any[] }) {
  const asked = messages.flatMap(({ asked: body }) => body ?? []);
  const sent = asked.map(({ recipient, biz_opaque_callback_data: _mark, ...body }) => {
    const { voice: _voice, ...audio } = body.audio ?? {};
    return { ...body, to: body.to ?? recipient, ...(body.audio && { audio }) };
  });
  const files = sent.flatMap((body) =>
    Object.entries(MEDIA).flatMap(([type, schema]) => (body.type === type ? flawsOf(schema, body[type]) : [])),
  );
  return [
    ...sent.flatMap((body) => flawsOf(schemaOf(body), body).map((flaw) => `${JSON.stringify(body)}: ${flaw}`)),
    ...files,
    ...templates.flatMap((one) => flawsOf('NewTemplate', one)),
  ];
}
