import { blueskySubject } from '../../../platforms/conformance/subjects/bluesky.ts';
import { publishesThroughKills } from '../posts.ts';

publishesThroughKills(blueskySubject);
