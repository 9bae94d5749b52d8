import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import software.amazon.event.ruler.Machine;

/** AWS event-ruler: rules as JSON, which is their only form; an event is a parsed JSON object, so that parsing is not timed. */
final class EventRulerHarness implements Harness.Neighbour<JsonNode> {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Machine machine = new Machine();

    @Override
    public void add(int id, List<String[]> predicates) throws Exception {
        ObjectNode rule = MAPPER.createObjectNode();
        for (String[] predicate : predicates) {
            ArrayNode patterns = rule.putArray(predicate[0]);
            if (predicate[0].charAt(0) == 'r') {
                ArrayNode range = patterns.addObject().putArray("numeric");
                range.add(">=").add(Long.parseLong(predicate[1])).add("<=").add(Long.parseLong(predicate[2]));
            } else {
                for (int place = 1; place < predicate.length; place++) {
                    patterns.add(predicate[place]);
                }
            }
        }
        machine.addRule(Integer.toString(id), MAPPER.writeValueAsString(rule));
    }

    @Override
    public void finish() {}

    @Override
    public JsonNode prepare(Map<String, Object> event) {
        return MAPPER.valueToTree(event);
    }

    @Override
    public int[] ask(JsonNode event) throws Exception {
        List<String> found = machine.rulesForJSONEvent(event);
        int[] ids = new int[found.size()];
        for (int place = 0; place < ids.length; place++) {
            ids[place] = Integer.parseInt(found.get(place));
        }
        return ids;
    }

    public static void main(String[] arguments) throws Exception {
        Harness.run(arguments, EventRulerHarness::new);
    }
}
