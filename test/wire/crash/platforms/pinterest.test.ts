import { pinterestSubject } from '../../../platforms/conformance/subjects/pinterest.ts';
import { publishesThroughKills } from '../posts.ts';

publishesThroughKills(pinterestSubject);
