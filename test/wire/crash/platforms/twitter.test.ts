import { twitterSubject } from '#test/platforms/conformance/subjects/twitter.ts';
import { publishesThroughKills } from '../posts.ts';

publishesThroughKills(twitterSubject);
