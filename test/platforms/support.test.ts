import { describe, expect, it } from 'vitest';
import { platforms } from '#platforms/index.ts';
import { plaza } from '../made-up/platform/index.ts';
import { SLUG } from '../made-up/slug.ts';
import { kindsOf } from '#platforms/lookup.ts';
import { capabilitiesOf, supportOf } from '#platforms/support.ts';

/**
 * What each platform supports, and the made-up one, in the words of the reference. A feature has an x below the first
 * letter of each kind of account that has it.
 */
const TABLE = `
                            instagram           tiktok              telegram            plaza:key
                                instagram:facebook  tiktok:business     bluesky             plaza
                                    facebook            youtube             google
                                        threads             twitter             whatsapp
                                            linkedin            zalo                pinterest
connect by consent          x   x   x   x   x   x   x   x   x   x   .   .   x   x   x   x   x
connect by our form         .   .   .   .   .   .   x   .   .   .   x   x   .   x   .   x   x
exchange of a code          x   x   x   x   x   x   x   x   x   x   .   .   x   x   x   x   x
refresh without the person  x   .   .   x   x   x   x   x   x   x   .   x   x   .   x   x   x
revoke on disconnect        x   x   x   x   .   x   x   x   x   .   .   x   x   .   .   x   x
pages                       .   .   x   .   x   .   .   .   .   .   .   .   .   .   .   x   x
sync of posts               x   x   x   x   x   x   x   x   x   x   .   x   x   .   x   x   x
creator info                .   .   .   .   .   x   x   .   .   .   .   .   .   .   .   x   x
remaining limits            x   x   .   x   .   .   .   x   .   x   x   x   x   x   x   x   x
post text                   .   .   x   x   x   .   .   .   x   .   x   x   x   .   .   x   x
post document               .   .   .   .   x   .   .   .   .   .   x   .   .   .   .   x   x
post images                 x   x   x   x   x   x   x   .   x   x   x   x   x   .   x   x   x
post video                  x   x   x   x   x   x   x   x   x   x   x   x   .   .   x   x   x
several images              x   x   x   x   x   x   x   .   x   .   x   x   .   .   x   x   x
thread                      .   .   .   x   .   .   .   .   x   .   .   x   .   .   .   x   x
first comment               x   x   x   x   x   .   x   x   x   .   .   x   .   .   .   x   x
unpublish                   .   x   x   x   x   .   .   x   x   x   x   x   x   .   x   x   x
post metrics                x   x   x   x   x   x   x   x   x   .   .   x   .   .   x   x   x
list comments               x   x   x   x   x   .   x   x   x   .   x   x   .   .   .   .   x
list replies                x   x   x   x   x   .   x   x   x   .   x   x   .   .   .   .   x
reply to a comment          x   x   x   x   x   .   x   x   x   .   x   x   .   .   .   .   x
delete a comment            x   x   x   x   x   .   x   x   x   .   x   x   .   .   .   .   x
hide a comment              x   x   x   x   .   .   x   x   x   .   .   x   .   .   .   .   x
like a comment              .   x   x   .   x   .   x   .   .   .   x   x   .   .   .   .   x
private reply               x   x   x   .   .   .   .   .   .   .   .   .   .   .   .   .   x
list reviews                .   .   .   .   .   .   .   .   .   .   .   .   x   .   .   .   x
reply to a review           .   .   .   .   .   .   .   .   .   .   .   .   x   .   .   .   x
list mentions               .   x   x   x   x   .   x   .   x   .   .   x   .   .   .   .   x
reply to a mention          .   x   x   x   x   .   .   .   x   .   .   x   .   .   .   .   x
read conversations          x   x   x   .   .   .   x   .   x   x   x   x   .   x   .   .   x
send a message              x   x   x   .   .   .   x   .   x   x   x   x   .   x   .   .   x
message with image          x   x   x   .   .   .   x   .   x   x   x   .   .   x   .   .   .
message with video          x   x   x   .   .   .   .   .   x   .   x   .   .   x   .   .   .
message with audio          x   x   x   .   .   .   .   .   .   .   x   .   .   x   .   .   .
message with file           x   x   x   .   .   .   .   .   .   x   x   .   .   x   .   .   .
attachment by platform id   .   x   x   .   .   .   x   .   x   x   x   .   .   x   .   .   .
voice message               .   .   .   .   .   .   .   .   .   .   x   .   .   x   .   .   .
buttons in a message        x   x   x   .   .   .   x   .   .   x   x   .   .   x   .   .   x
cards                       x   x   x   .   .   .   .   .   .   .   .   .   .   .   .   .   .
quick replies               x   x   x   .   .   .   x   .   .   x   x   .   .   x   .   .   .
list message                .   .   .   .   .   .   .   .   .   .   .   .   .   x   .   .   .
reply to a message          x   x   x   .   .   .   .   .   .   .   .   .   .   .   .   .   .
message tag                 x   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .
mark as read                x   x   x   .   .   .   x   .   .   .   .   x   .   x   .   .   x
inbox by push               x   x   x   x   x   x   x   x   x   x   x   .   x   x   .   .   x
inbox by polling            .   .   .   .   .   .   .   x   x   .   x   x   x   .   .   .   x
phone numbers               .   .   .   .   .   .   .   .   .   .   .   .   .   x   .   .   .
message templates           .   .   .   .   .   .   .   .   .   .   .   .   .   x   .   .   .
location media              .   .   .   .   .   .   .   .   .   .   .   .   x   .   .   .   .
`;
const LINES = TABLE.trimEnd().split('\n').slice(1);
const HEADINGS = LINES.filter((line) => line.startsWith(' '));
const FEATURES = LINES.filter((line) => !line.startsWith(' '));
const NAMES_WIDTH = 28;

/** The features of each kind of account. */
const CONTRACT = HEADINGS.flatMap((heading) => [...heading.matchAll(/\S+/g)]).map(
  ({ 0: kind, index }): [string, readonly string[]] => {
    const supported = FEATURES.filter((line) => line[index] === 'x');
    return [kind, supported.map((line) => line.slice(0, NAMES_WIDTH).trim())];
  },
);

const KINDS = new Map([
  ...[...platforms.values()].flatMap(kindsOf),
  ...kindsOf(plaza).map(([name, kind]) => [name.replace(SLUG, 'plaza'), kind] as const),
]);

describe('what a platform supports', () => {
  it('lists every platform there is', () => {
    expect([...KINDS.keys()].toSorted()).toEqual(CONTRACT.map(([kind]) => kind).toSorted());
  });

  it.each(CONTRACT)('is what the contract says of %s, no more and no less', (slug, expected) => {
    const support = supportOf(KINDS.get(slug)!);
    const yes = Object.entries(support).flatMap(([name, can]) => (can ? [name] : []));
    expect(yes.toSorted()).toEqual(expected.toSorted());
  });
});

/** The kinds of account whose login gives scopes. */
const SCOPED = [...KINDS].flatMap(([name, platform]) => {
  const { connect } = platform;
  return connect.kind === 'oauth' && connect.scopes
    ? [[name, platform, [...connect.scopes.effects.keys()]] as const]
    : [];
});

describe('what an account can do', () => {
  it.each(SCOPED)(
    'is all that %s supports where all scopes were given, or nobody knows which',
    (_, platform, scopes) => {
      const all = Object.entries(supportOf(platform)).flatMap(([name, can]) => (can ? [name] : []));
      const everything = capabilitiesOf(platform, undefined);
      expect(capabilitiesOf(platform, scopes)).toEqual(everything);
      expect(all).toEqual(expect.arrayContaining([...everything]));
    },
  );

  it('is less without a scope, unless another one gives the same', () => {
    const lost = (name: string, ...without: readonly string[]) => {
      const [, platform, scopes] = SCOPED.find(([known]) => known === name)!;
      const left = capabilitiesOf(
        platform,
        scopes.filter((scope) => !without.includes(scope)),
      );
      return capabilitiesOf(platform, undefined).filter((feature) => !left.includes(feature));
    };
    expect(lost('twitter', 'tweet.moderate.write')).toEqual(['hide a comment']);
    expect(lost('instagram:facebook', 'instagram_manage_engagement')).toEqual(['like a comment']);
    expect(lost('facebook', 'pages_messaging')).toContain('send a message');
    expect(lost('facebook', 'read_insights')).toEqual([]);
    expect(lost('linkedin', 'w_member_social')).toEqual([]);
    expect(lost('linkedin', 'w_member_social', 'w_organization_social')).toContain('post text');
  });
});
