import { blueskySubject } from '#test/platforms/conformance/subjects/bluesky.ts';
import { publishesThroughKills } from '../posts.ts';

publishesThroughKills(blueskySubject);
