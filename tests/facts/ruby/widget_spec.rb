require "spec_helper"

RSpec.describe Widget, type: :model do
  #                    ^ label

  let(:widget) { described_class.new(size: 3) }
  subject(:area) { widget.area }

  def build(size)
    # ^ def function build
    Widget.new(size: size)
    #                ^ -> 9
  end

  shared_examples "a thing" do |name|
    it("has a #{name}") { expect(name).to be }
    #            ^ -> 15
    #                            ^ -> 15
  end

  context "when it is big" do
    before { build(9) }
    #        ^ -> 9 ?

    it "grows" do
      grown = build(4)
      expect(grown).to eq(widget)
      #      ^ -> 26
      #                   ^ unknown
    end
  end
end

task default: %i[test lint]

namespace :db do
  desc "Fill it"
  task :fill, [:count] => :environment do |_task, args|
    args.count
    # ^ -> 38
  end
end
